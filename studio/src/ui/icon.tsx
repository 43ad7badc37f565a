/** Line icons on a grid of 24, drawn in the colour of the text beside them. */
const PATHS = {
  explore: 'M3 16c3-6 6-6 9 0s6 6 9 0M3 8c3-4 6-4 9 0s6 4 9 0',
  boards: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  build: 'M14 6a4 4 0 0 1 5-2l-3 3 1 1 3-3a4 4 0 0 1-5 5L7 18a2 2 0 0 1-3-3l8-8z',
  admin: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM9 12l2 2 4-4',
  query: 'M5 5h14M5 10h9M5 15h6M15 19l3-3-3-3',
  connect: 'M9 8V3M15 8V3M6 8h12v4a6 6 0 0 1-12 0zM12 18v4',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 10a3 3 0 1 1 4 3c-1 0-1 1-1 2M12 17.5h.01',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  zoomIn: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5M8 11h6M11 8v6',
  zoomOut: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5M8 11h6',
  folder: 'M3 6h6l2 3h10v10H3z',
  close: 'M5 5l14 14M19 5L5 19',
  check: 'M4 12l6 6L20 6',
  copy: 'M8 8h12v12H8zM16 8V4H4v12h4',
  down: 'M5 9l7 7 7-7',
  right: 'M9 5l7 7-7 7',
  left: 'M15 5l-7 7 7 7',
  plus: 'M12 4v16M4 12h16',
  edit: 'M4 20l1-5L16 4l4 4L9 19z',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13',
  move: 'M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3',
  more: 'M5 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1zM12 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1zM19 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M19 5l-1.5 1.5M6.5 17.5L5 19',
  moon: 'M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c1-5 4-6 8-6s7 1 8 6',
  download: 'M12 3v12M7 10l5 5 5-5M4 20h16',
  upload: 'M12 16V4M7 9l5-5 5 5M4 20h16',
  table: 'M4 5h16v14H4zM4 10h16M10 5v14',
  chart: 'M4 4v16h16M7 15l4-5 3 3 5-7',
  live: 'M12 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2zM8 8a6 6 0 0 0 0 8M16 8a6 6 0 0 1 0 8M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14',
  full: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  key: 'M12 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM12 12h9v4M17 12v3',
} as const

/** The icons there are. */
export type IconName = keyof typeof PATHS

/** An icon; it says nothing to screen readers, so what it stands on needs a name. */
export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
