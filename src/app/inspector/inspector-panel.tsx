import { useState, useSyncExternalStore } from 'react'
import type { Inspection } from '../../system/inspection'
import { IconButton } from '../../ui/icon/icon-button'
import { Segment } from '../../ui/form/segment'
import { ChartList, titleOf } from './chart-list'
import { ClockControls } from './clock-controls'
import { useDocking } from './docking'
import { ResizeHandle } from './resize-handle'
import { EventLog } from './event-log'
import { inspector } from './inspector.recipe'
import { Picture } from './picture'
import type { Chart, Recorder } from './recorder'
import { SendEvent } from './send-event'

type Props = { inspection: Inspection; recorder: Recorder; frame: HTMLElement; onClose: () => void }

const sides = [
  { value: 'events', label: 'Events' },
  { value: 'send', label: 'Send' },
] as const
const views = [
  { value: 'follow', label: 'Follow' },
  { value: 'whole', label: 'Whole' },
] as const

const waitsOf = ({ waits }: Chart) => (waits.length > 0 ? `waits: ${waits.join(', ')}` : '')

/** Lists every running chart with its current states and events; sends events and controls time. */
export const InspectorPanel = ({ inspection, recorder, frame, onClose }: Props) => {
  const { charts, entries } = useSyncExternalStore(recorder.subscribe, recorder.current)
  const { side, size, turn, resize } = useDocking(frame)
  const [wanted, setWanted] = useState<string>()
  const [tab, setTab] = useState<'events' | 'send'>('events')
  const [view, setView] = useState<'follow' | 'whole'>('follow')
  const chart = charts.find(({ key }) => key === wanted) ?? charts.find(({ name }) => name === 'auth') ?? charts[0]
  const live = chart && recorder.live(chart.key)
  const tabs = <Segment label="What is shown" small items={sides} value={tab} onValueChange={setTab} />
  return (
    <section className={inspector.root} data-side={side} aria-label="Inspector">
      <ResizeHandle side={side} size={size} onResize={resize} />
      <header className={inspector.head}>
        <h2 className={inspector.title}>Inspector</h2>
        <ClockControls clock={inspection.clock} />
        <div className={inspector.push}>
          <IconButton
            icon="columns"
            label={side === 'bottom' ? 'Dock to the right' : 'Dock to the bottom'}
            size="small"
            variant="ghost"
            align="end"
            onClick={turn}
          />
          <IconButton icon="x" label="Close the inspector" size="small" variant="ghost" align="end" onClick={onClose} />
        </div>
      </header>
      <div className={inspector.body} data-side={side}>
        <div className={inspector.part}>
          <ChartList charts={charts} chosen={chart?.key} onChoose={setWanted} />
        </div>
        <div className={inspector.part}>
          <div className={inspector.bar}>
            {chart && <strong className={inspector.name}>{titleOf(charts, chart)}</strong>}
            <span className={inspector.note}>{chart && waitsOf(chart)}</span>
            <div className={inspector.push}>
              <Segment label="Part of the picture" small items={views} value={view} onValueChange={setView} />
            </div>
          </div>
          <div className={inspector.scroll}>
            {chart && live && <Picture machine={live.machine} chart={chart} whole={view === 'whole'} />}
          </div>
        </div>
        <div className={inspector.part}>
          {tab === 'events' ? (
            <EventLog tabs={tabs} entries={entries} onChoose={({ key }) => setWanted(key)} onClear={recorder.clear} />
          ) : (
            <>
              <div className={inspector.bar}>{tabs}</div>
              {live && <SendEvent key={chart.key} live={live} />}
            </>
          )}
        </div>
      </div>
    </section>
  )
}
