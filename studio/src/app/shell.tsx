import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useRole } from '../api/session.ts'
import { Icon } from '../ui/icon.tsx'
import { Mark } from '../ui/mark.tsx'
import { AccountMenu } from './account-menu.tsx'
import { useHelpKey } from './help-key.ts'
import { Link } from './link.tsx'
import { NoPage } from './no-page.tsx'
import { PageFault } from './page-fault.tsx'
import { findPage, loadPagesAhead, pageEntries, pageKey, pageOf } from './page-map.ts'
import { Palette } from './palette.tsx'
import { usePalette } from './palette-key.ts'
import { usePlace } from './place.ts'
import styles from './shell.module.css'

const places = pageEntries
  .flatMap(({ nav }) => (nav === undefined ? [] : [nav]))
  .sort((a, b) => a.order - b.order)

/** Dialogs that few open in the first second. */
const HelpDialog = lazy(async () => ({
  default: (await import('./help-dialog.tsx')).HelpDialog,
}))
const AccountDialog = lazy(async () => ({
  default: (await import('./account-dialog.tsx')).AccountDialog,
}))

/** When the first page has had its time, the files of the others are fetched. */
const AHEAD_MS = 3_000

/** The bar of places and the page that the address names. */
export function Shell() {
  const { path } = usePlace()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(path)
  const [isFinding, setFinding] = usePalette()
  const [isHelping, setHelping] = useState(false)
  const [isAccount, setAccount] = useState(false)
  const showHelp = useCallback(() => setHelping(true), [])
  useHelpKey(showHelp)
  useEffect(() => {
    const timer = setTimeout(loadPagesAhead, AHEAD_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    scrollTo(0, 0)
    // Screen readers and the keyboard go on where the page begins; what took the focus itself keeps it.
    if (!main.current?.contains(document.activeElement)) main.current?.focus()
  }, [path])
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <Bar
        path={path}
        onFind={() => setFinding(true)}
        onHelp={showHelp}
        onAccount={() => setAccount(true)}
      />
      <main ref={main} id="main" className={styles.main} tabIndex={-1}>
        <CurrentPage path={path} />
      </main>
      {isFinding && <Palette onClose={() => setFinding(false)} />}
      <PageFault path={path}>
        <Suspense fallback={null}>
          {isHelping && <HelpDialog onClose={() => setHelping(false)} />}
          {isAccount && <AccountDialog onClose={() => setAccount(false)} />}
        </Suspense>
      </PageFault>
    </div>
  )
}

function CurrentPage({ path }: { readonly path: string }) {
  const found = findPage(path)
  if (found === undefined) return <NoPage />
  const { entry, params } = found
  const Page = pageOf(entry)
  return (
    <PageFault path={path}>
      <Suspense fallback={null}>
        <Page key={pageKey(entry)} params={params} />
      </Suspense>
    </PageFault>
  )
}

interface BarProps {
  readonly path: string
  readonly onFind: () => void
  readonly onHelp: () => void
  readonly onAccount: () => void
}

function Bar({ path, onFind, onHelp, onAccount }: BarProps) {
  const role = useRole()
  const seen = places.filter(({ roles }) => roles === undefined || roles.includes(role))
  return (
    <nav className={styles.bar} aria-label="Main">
      <Link to="/" className={styles.home} aria-label="Weir home">
        <Mark />
      </Link>
      <ul className={styles.places}>
        {seen.map(({ label, to, icon, holds, Badge }) => {
          const isHere = holds.some((start) => path === start || path.startsWith(`${start}/`))
          return (
            <li key={to}>
              <Link
                to={to}
                className={styles.place}
                data-here={isHere || undefined}
                aria-current={isHere ? 'page' : undefined}
              >
                <Icon name={icon} />
                {label}
                {Badge !== undefined && (
                  <Suspense fallback={null}>
                    <Badge />
                  </Suspense>
                )}
              </Link>
            </li>
          )
        })}
      </ul>
      <div className={styles.end}>
        <button type="button" className={styles.place} onClick={onFind} title="Find (Ctrl K, ⌘ K)">
          <Icon name="search" />
          Find
        </button>
        <button type="button" className={styles.place} onClick={onHelp} title="Help (?)">
          <Icon name="help" />
          Help
        </button>
        <AccountMenu className={styles.place} onOpen={onAccount} />
      </div>
    </nav>
  )
}
