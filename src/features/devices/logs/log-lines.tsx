import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  memo,
  useEffectEvent,
  type PointerEvent,
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { cx } from 'styled-system/css'
import type { LogLine } from '../../../../contract/fleet/device-logs'
import { formatExact } from '../../../lib/dates'
import { CopyButton } from '../../../ui/text/copy-button'
import { watchCutText } from '../../../ui/text/cut-text'
import { Icon } from '../../../ui/icon/icon'
import { createRowPlaces } from '../../../ui/list/row-places'
import { Skeleton } from '../../../ui/layout/skeleton'
import { formatLogTime, type LogItem, toLineText } from './log-items'
import { log } from './log.recipe'

const short: Readonly<Record<string, string>> = {
  emerg: 'EMG',
  alert: 'ALR',
  crit: 'CRT',
  err: 'ERR',
  warning: 'WRN',
  notice: 'NTC',
  info: 'INF',
  debug: 'DBG',
}

/** Pixels, as in the recipe. */
const heights = { line: 20, boot: 24, gap: 24 } as const
/** So near to an end counts as at it, in pixels. */
const nearEnd = 24
/** Rows from an end at which more are loaded. */
const ahead = 30

const idOf = (sequence: number) => `line-${sequence}`

type RowProps = {
  line: LogLine
  isActive: boolean
  isSelected: boolean
  isLinked: boolean
  isExpanded: boolean
  actions: ReactNode
}

const Row = memo(({ line, isActive, isSelected, isLinked, isExpanded, actions }: RowProps) => (
  <div
    role="row"
    id={idOf(line.sequence)}
    className={log.row}
    data-sequence={line.sequence}
    data-active={isActive || undefined}
    data-linked={isLinked || undefined}
    aria-selected={isSelected}
    aria-expanded={isExpanded}
    aria-level={1}
  >
    <span role="gridcell" className={log.time} title={formatExact(new Date(line.ts_ms))}>
      {formatLogTime(line.ts_ms)}
    </span>
    <span role="gridcell" className={log.level} data-level={line.level} title={line.level}>
      {short[line.level] ?? line.level}
    </span>
    <span role="gridcell" className={log.unit} data-text title={line.unit ?? undefined}>
      {line.unit}
    </span>
    <span role="gridcell" className={log.message} data-text data-level={line.level} title={line.message}>
      {line.message}
    </span>
    {actions}
  </div>
))

type FieldsProps = { line: LogLine; onHeight: (height: number) => void }

const Fields = ({ line, onHeight }: FieldsProps) => {
  const box = useRef<HTMLDivElement>(null)
  const report = useEffectEvent(onHeight)
  useLayoutEffect(() => {
    if (!box.current) return
    const sizes = new ResizeObserver(([entry]) => entry && report(Math.round(entry.borderBoxSize[0]?.blockSize ?? 0)))
    sizes.observe(box.current)
    return () => sizes.disconnect()
  }, [])
  return (
    <div ref={box} role="row" aria-level={2} className={log.details}>
      <div role="gridcell">
        <p className={log.whole}>{line.message}</p>
        <dl className={log.fields}>
          {Object.entries({
            sequence: line.sequence,
            time: formatExact(new Date(line.ts_ms)),
            received: line.received_at,
            boot: line.boot_id ?? '–',
            ...(line.pid !== null && { pid: line.pid }),
            ...line.fields,
          }).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <CopyButton value={JSON.stringify(line, null, 2)}>Copy JSON</CopyButton>
      </div>
    </div>
  )
}

const Mark = ({ item }: { item: Exclude<LogItem, { kind: 'line' }> }) =>
  item.kind === 'boot' ? (
    <div role="row" aria-level={1} className={log.boot}>
      <div role="gridcell" className={log.mark}>
        <Icon name="power" size={14} />
        <b>Boot {item.bootId.slice(0, 4)}</b>
        <span>{item.text}</span>
        {item.note !== null && <span className={log.note}>{item.note}</span>}
      </div>
    </div>
  ) : (
    <div role="row" aria-level={1} className={log.gap}>
      <span role="gridcell">{item.text}</span>
    </div>
  )

const widths = ['long', 'half', 'full', 'half', 'long'] as const

export const LogSkeleton = () => (
  <div className={log.ground} aria-busy>
    {Array.from({ length: 20 }, (_, row) => (
      <div key={row} className={cx(log.row, log.pending)}>
        <Skeleton width="short" />
        <Skeleton />
        <span className={log.unit}>
          <Skeleton width="long" />
        </span>
        <Skeleton width={widths[row % widths.length] ?? 'half'} />
      </div>
    ))}
  </div>
)

/** Selected lines: from one to another, in either order. */
export type LogRange = { from: number; to: number }

export type LogHandle = { focus: () => void; toEnd: () => void }

type Props = {
  items: readonly LogItem[]
  linked: number | undefined
  /** Lines after the last item are not loaded yet. */
  hasNewer: boolean
  /** The line in sight at first; null for the newest. */
  start: number | null
  range: LogRange | null
  onRange: (range: LogRange | null) => void
  onAtEnd: (isAtEnd: boolean) => void
  onSeen: (seen: { from: number; to: number }) => void
  onOlder: () => void
  onNewer: () => void
  /** The oldest and the newest end of the whole log. */
  onOldest: () => void
  onNewest: () => void
  onFilter: () => void
  linkOf: (sequence: number) => string
  head: ReactNode
  ref: Ref<LogHandle>
}

/**
 * Lines in a box of their own. Only the visible rows are in the document; when rows are added or removed before them, they stay where
 * they are.
 */
export const LogLines = (props: Props) => {
  const { items, linked, hasNewer, start, range, onRange, onAtEnd, onSeen, onOlder, onNewer, head } = props
  const box = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<number | null>(linked ?? null)
  const [pointed, setPointed] = useState<number | null>(null)
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set())
  /** The first visible row and how far it is scrolled, by which the rows are held. */
  const held = useRef<{ key: LogItem['key']; offset: number } | null>(null)
  const wasAtEnd = useRef(start === null)
  const opened = useRef(false)
  // oxlint-disable-next-line react/incompatible-library -- rows are read from the virtualizer in this render only
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => heights[items[index]?.kind ?? 'line'],
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 2,
    paddingStart: 32,
    paddingEnd: 8,
  })
  const visible = rows.getVirtualItems()
  const [place] = useState(createRowPlaces)
  const startsOf = new Map(visible.map(({ index, start: top }) => [index, top]))
  const places = place([...startsOf.keys()], items.length, rows.isScrolling)
  const startOf = (index: number) => rows.measurementsCache[index]?.start

  const note = () => {
    const scroller = box.current
    if (!scroller) return
    const { scrollTop, clientHeight, scrollHeight } = scroller
    // By where it is scrolled now: the rows of the last render may be those of another place.
    const first = rows.getVirtualItemForOffset(scrollTop)
    const last = rows.getVirtualItemForOffset(scrollTop + clientHeight)
    if (!first || !last) return
    held.current = { key: first.key as LogItem['key'], offset: scrollTop - first.start }
    const isAtEnd = scrollHeight - scrollTop - clientHeight <= nearEnd
    wasAtEnd.current = isAtEnd && !hasNewer
    onAtEnd(isAtEnd)
    const times = items.slice(first.index, last.index + 1).flatMap((item) => (item.kind === 'line' ? [item.line.ts_ms] : []))
    const [from, to] = [times[0], times.at(-1)]
    if (from !== undefined && to !== undefined) onSeen({ from, to })
    if (first.index < ahead) onOlder()
    if (last.index >= items.length - ahead) onNewer()
  }

  useLayoutEffect(() => {
    const scroller = box.current
    if (!scroller) return
    if (items.length === 0) {
      // None of the lines that were looked at fits the filter: more are looked at.
      onOlder()
      onNewer()
      return
    }
    const before = scroller.scrollTop
    const keep = held.current
    const at = keep ? items.findIndex(({ key }) => key === keep.key) : -1
    const isFirst = !opened.current
    opened.current = true
    if (isFirst && start !== null) {
      const first = items.findIndex((item) => item.kind === 'line' && item.line.sequence >= start)
      scroller.scrollTop = (startOf(first < 0 ? items.length - 1 : first) ?? 0) - scroller.clientHeight / 3
    } else if (wasAtEnd.current) scroller.scrollTop = scroller.scrollHeight
    else if (keep && at >= 0) scroller.scrollTop = (startOf(at) ?? 0) + keep.offset
    // Otherwise the event of the scroll follows.
    if (scroller.scrollTop === before) note()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- after a change of the rows only
  }, [items])

  useLayoutEffect(() => {
    if (!box.current) return
    const texts = watchCutText(box.current, '[data-text]')
    const sizes = new ResizeObserver(texts.update)
    sizes.observe(box.current)
    return () => {
      sizes.disconnect()
      texts.stop()
    }
  }, [])

  useImperativeHandle(props.ref, () => ({
    focus: () => box.current?.focus(),
    toEnd: () => box.current?.scrollTo({ top: box.current.scrollHeight }),
  }))

  const lineAt = (from: number, by: 1 | -1): number | undefined => {
    for (let index = from; index >= 0 && index < items.length; index += by) if (items[index]?.kind === 'line') return index
    return undefined
  }
  const activate = (index: number | undefined, extend: boolean) => {
    const item = index === undefined ? undefined : items[index]
    if (index === undefined || item?.kind !== 'line') return
    const { sequence } = item.line
    setActive(sequence)
    onRange(extend && range ? { ...range, to: sequence } : { from: extend ? (active ?? sequence) : sequence, to: sequence })
    rows.scrollToIndex(index, { align: 'auto' })
  }
  // Only the fields below a line have a height that is not known before they are laid out.
  const resize = (sequence: number, height: number) => {
    const index = items.findIndex(({ key }) => key === sequence)
    if (index >= 0) rows.resizeItem(index, heights.line + height)
  }
  const toggle = (sequence: number) => {
    if (expanded.has(sequence)) resize(sequence, 0)
    setExpanded(new Set(expanded.has(sequence) ? [...expanded].filter((one) => one !== sequence) : [...expanded, sequence]))
  }

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const index = items.findIndex(({ key }) => key === active)
    const shown = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / heights.line) - 1)
    const last = items.length - 1
    const steps: Readonly<Record<string, () => void>> = {
      ArrowDown: () => activate(lineAt(index < 0 ? (visible[0]?.index ?? 0) : index + 1, 1), event.shiftKey),
      ArrowUp: () => activate(lineAt(index < 0 ? last : index - 1, -1), event.shiftKey),
      PageDown: () => activate(lineAt(Math.min(last, Math.max(0, index) + shown), -1), event.shiftKey),
      PageUp: () => activate(lineAt(Math.max(0, (index < 0 ? last : index) - shown), 1), event.shiftKey),
      Home: props.onOldest,
      End: props.onNewest,
      Enter: () => active !== null && toggle(active),
      Escape: () => onRange(null),
      '/': props.onFilter,
    }
    const step = steps[event.key]
    if (!step) return
    event.preventDefault()
    step()
  }

  const sequenceOf = (event: PointerEvent | React.MouseEvent): number | undefined => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-sequence]') : null
    return row ? Number(row.dataset.sequence) : undefined
  }
  const low = range ? Math.min(range.from, range.to) : Number.POSITIVE_INFINITY
  const high = range ? Math.max(range.from, range.to) : Number.NEGATIVE_INFINITY
  const actionsOf = (line: LogLine) => (
    <span role="gridcell" className={log.actions}>
      <CopyButton value={() => props.linkOf(line.sequence)} label="Copy link to the line" icon={<Icon name="link" size={14} />} />
      <CopyButton value={toLineText(line)} label="Copy the line" />
    </span>
  )
  const isShown = items.some(({ key }) => key === active) && visible.some(({ key }) => key === active)
  return (
    <div
      ref={box}
      className={log.ground}
      role="treegrid"
      aria-label="Log lines"
      aria-multiselectable
      aria-rowcount={-1}
      aria-activedescendant={active !== null && isShown ? idOf(active) : undefined}
      tabIndex={0}
      onScroll={note}
      onKeyDown={onKeyDown}
      onPointerOver={(event) => setPointed(sequenceOf(event) ?? null)}
      onPointerLeave={() => setPointed(null)}
      onClick={(event) => {
        const sequence = sequenceOf(event)
        if (sequence === undefined || (event.target instanceof Element && event.target.closest('button'))) return
        activate(
          items.findIndex(({ key }) => key === sequence),
          event.shiftKey,
        )
      }}
      onDoubleClick={(event) => {
        const sequence = sequenceOf(event)
        if (sequence !== undefined) toggle(sequence)
      }}
    >
      <div role="presentation" className={log.canvas} style={{ height: rows.getTotalSize() }}>
        <div role="row" aria-level={1} className={log.head}>
          <span role="gridcell">{head}</span>
        </div>
        {places.map(({ key, index }) => {
          const item = items[index]
          if (!item) return null
          const sequence = item.kind === 'line' ? item.line.sequence : null
          return (
            <div key={key} role="presentation" className={log.place} style={{ top: startsOf.get(index) ?? startOf(index) }}>
              {item.kind === 'line' ? (
                <>
                  <Row
                    line={item.line}
                    isActive={active === sequence}
                    isSelected={item.line.sequence >= low && item.line.sequence <= high}
                    isLinked={linked === sequence}
                    isExpanded={expanded.has(item.line.sequence)}
                    actions={sequence === active || sequence === pointed || sequence === linked ? actionsOf(item.line) : null}
                  />
                  {expanded.has(item.line.sequence) && (
                    <Fields key={item.key} line={item.line} onHeight={(height) => resize(item.line.sequence, height)} />
                  )}
                </>
              ) : (
                <Mark item={item} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}
