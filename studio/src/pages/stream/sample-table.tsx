import { memo, useEffect, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import { inOrganization } from '../../api/organization.ts'
import { useQuery } from '../../api/use-query.ts'
import { fileName, type PlotValue } from '../../chart/chart-series.ts'
import type { TimeRange } from '../../chart/time-range.ts'
import { spacedText } from '../../chart/unit-text.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { momentTexts } from '../../ui/time/offset-marks.ts'
import { fileAddress } from '../build/files/file-upload.ts'
import { CorrectDialog } from './correct-dialog.tsx'
import { CorrectionList, noteCorrection, reportCorrection } from './correction-list.tsx'
import { type EditedSample, SampleDelete, SampleForm } from './sample-forms.tsx'
import styles from './stream.module.css'
import { SamplesCsv } from './stream-csv.tsx'

const PAGE = 50

interface SampleTableProps {
  readonly found: FoundStream
  readonly asked: TimeRange
  readonly zone: string
  readonly isLive: boolean
  readonly canChange: boolean
  readonly onChanged: () => void
}

function Samples({ found, asked, zone, isLive, canChange, onChanged }: SampleTableProps) {
  const { componentUid, streamUid, kind } = found
  /** Where each page ends, from the first to the one that is shown. */
  const [ends, setEnds] = useState<readonly number[]>([])
  const [open, setOpen] = useState<{ act: 'edit' | 'add' | 'delete'; sample: EditedSample }>()
  const [isCorrecting, setCorrecting] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another range begins with its first page.
  useEffect(() => setEnds([]), [asked.from, asked.until])
  const until = ends.at(-1) ?? asked.until
  const { data, error, reload } = useQuery(
    ['samples', componentUid, streamUid, asked.from, until],
    (signal) =>
      call('get', '/api/component/{componentUid}/stream/{uid}/feed', {
        path: { componentUid, uid: streamUid },
        query: { sd: asked.from, ed: until, limit: PAGE + 1, retFData: true, retIntvlSd: true },
        signal,
      }),
    { keepPrevious: true, isOff: until <= asked.from, refreshMs: isLive ? 2_000 : undefined },
  )
  const rows = (data ?? []).slice(0, PAGE)
  const isMore = (data?.length ?? 0) > PAGE
  const changed = () => {
    setOpen(undefined)
    reload()
    onChanged()
  }
  // An undo from a toast can end after the range has changed.
  const latestChanged = useRef(changed)
  latestChanged.current = changed
  const times = rows.map(({ time }) => time)
  const texts = momentTexts(zone, times)
  const textOfTime = new Map(times.map((time, at) => [time, texts[at]]))
  const columns: Array<Column<EditedSample>> = [
    { id: 'time', label: 'Time', show: ({ time }) => textOfTime.get(time) },
    {
      id: 'value',
      label: 'Value',
      isNumber: kind === 'number' || kind === 'decimal',
      show: (sample) => <SampleValue found={found} sample={sample} />,
    },
  ]
  if (canChange) {
    const show = (sample: EditedSample) => (
      <span className={styles.acts}>
        {kind !== 'file' && (
          <IconButton
            icon="edit"
            label={`Edit the sample of ${textOfTime.get(sample.time)}`}
            onClick={() => setOpen({ act: 'edit', sample })}
          />
        )}
        <IconButton
          icon="trash"
          label={`Delete the sample of ${textOfTime.get(sample.time)}`}
          onClick={() => setOpen({ act: 'delete', sample })}
        />
      </span>
    )
    columns.push({ id: 'acts', label: '', show })
  }
  const blank = { time: Date.now(), data: null, sdTime: undefined }
  return (
    <>
      <div className={styles.tools}>
        <h2>Samples</h2>
        {canChange && kind !== 'file' && (
          <Button icon="plus" onClick={() => setOpen({ act: 'add', sample: blank })}>
            Add
          </Button>
        )}
        {canChange && rows.length > 0 && (
          <Button onClick={() => setCorrecting(true)}>Correct …</Button>
        )}
        <SamplesCsv found={found} range={asked} zone={zone} />
      </div>
      {canChange && <CorrectionList found={found} zone={zone} onChanged={changed} />}
      {error !== undefined && <Empty text={error.message} />}
      {data !== undefined && rows.length === 0 && <Empty text="No samples in this range." />}
      {rows.length > 0 && (
        <DataTable
          isDense
          label={`Samples of ${found.streamName}`}
          columns={columns}
          rows={rows}
          keyOf={({ time }) => String(time)}
        />
      )}
      {(isMore || ends.length > 0) && (
        <div className={styles.pages}>
          <Button disabled={ends.length === 0} onClick={() => setEnds(ends.slice(0, -1))}>
            Later
          </Button>
          <Button
            disabled={!isMore}
            onClick={() =>
              setEnds([...ends, rows[rows.length - 1].sdTime ?? rows[rows.length - 1].time])
            }
          >
            Earlier
          </Button>
        </div>
      )}
      {open?.act === 'delete' && (
        <SampleDelete
          found={found}
          zone={zone}
          sample={open.sample}
          onDone={changed}
          onClose={() => setOpen(undefined)}
        />
      )}
      {isCorrecting && (
        <CorrectDialog
          found={found}
          zone={zone}
          range={asked}
          onDone={(job) => {
            setCorrecting(false)
            noteCorrection(found)
            changed()
            reportCorrection(found, job, () => latestChanged.current())
          }}
          onClose={() => setCorrecting(false)}
        />
      )}
      {(open?.act === 'edit' || open?.act === 'add') && (
        <SampleForm
          found={found}
          zone={zone}
          sample={open.sample}
          isNew={open.act === 'add'}
          onDone={changed}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  )
}

/** The samples of the range, the latest first, with what can be done to each; it rests while the chart moves. */
export const SampleTable = memo(Samples)

interface SampleValueProps {
  readonly found: FoundStream
  readonly sample: EditedSample
}

function SampleValue({ found, sample }: SampleValueProps) {
  const { time, data, fData } = sample
  if (found.kind === 'file' && typeof data === 'string') {
    return <a href={inOrganization(fileAddress(found, time, data))}>{fileName(data)}</a>
  }
  return <span className={styles.value}>{textOf(data, fData)}</span>
}

/** Long texts are cut here; the form of the sample shows all of it. */
const TEXT_LENGTH_MAX = 300

function textOf(data: PlotValue, fData: string | undefined): string {
  if (data === null) return '–'
  const text = fData === undefined ? String(data) : spacedText(fData, data)
  return text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text
}
