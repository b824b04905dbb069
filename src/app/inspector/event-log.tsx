import { format } from 'date-fns'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { Button } from '../../ui/button'
import { Diff } from '../../ui/text/code'
import { CopyButton } from '../../ui/text/copy-button'
import { SearchInput } from '../../ui/form/input'
import { changesOf } from './changes'
import { inspector } from './inspector.recipe'
import type { Entry } from './recorder'

const listed = (states: readonly string[]) => states.join(', ')
const wayOf = ({ from, to }: Entry) => (from.length + to.length > 0 ? `${listed(from)} → ${listed(to)}` : 'stays')
const factsOf = ({ event }: Entry) => (Object.keys(event.facts).length > 0 ? JSON.stringify(event.facts) : '')
const has = (entry: Entry, words: string) =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${entry.chart} ${entry.event.name} ${wayOf(entry)} ${factsOf(entry)}`.toLowerCase().includes(word))

const Detail = ({ entry }: { entry: Entry }) => {
  const changes = changesOf(entry.before, entry.after)
  return (
    <div className={inspector.detail}>
      <p className={inspector.facts}>
        <b>{entry.event.name}</b> {factsOf(entry)}
      </p>
      <p className={inspector.facts}>{wayOf(entry)}</p>
      {entry.does.length > 0 && <p className={inspector.facts}>does {entry.does.join(', ')}</p>}
      {changes.length > 0 ? (
        <Diff label="What changed in the context" lines={changes} />
      ) : (
        <p className={inspector.note}>The context did not change.</p>
      )}
    </div>
  )
}

type Props = { tabs: ReactNode; entries: readonly Entry[]; onChoose: (entry: Entry) => void; onClear: () => void }

/** The received events, newest first, and what the selected one changed. */
export const EventLog = ({ tabs, entries, onChoose, onClear }: Props) => {
  const [words, setWords] = useState('')
  const [chosen, setChosen] = useState<number>()
  const filter = useDeferredValue(words)
  const found = entries.filter((entry) => has(entry, filter)).toReversed()
  const shown = found.find(({ n }) => n === chosen)
  return (
    <>
      <div className={inspector.bar}>
        {tabs}
        <SearchInput label="Filter events" small value={words} onChange={(event) => setWords(event.target.value)} />
        <CopyButton label="Copy the events shown" value={() => JSON.stringify(found, null, 2)} />
        <Button size="small" variant="ghost" onClick={onClear}>
          Clear
        </Button>
      </div>
      <ol className={inspector.scroll} aria-label="Events">
        {found.map((entry) => (
          <li key={entry.n}>
            <button
              type="button"
              className={inspector.entry}
              aria-pressed={entry.n === chosen}
              onClick={() => {
                setChosen(entry.n === chosen ? undefined : entry.n)
                onChoose(entry)
              }}
            >
              <span>{format(entry.at, 'HH:mm:ss.SSS')}</span>
              <span>{entry.chart}</span>
              <span title={factsOf(entry)}>{entry.event.name}</span>
              <span data-quiet={entry.from.length + entry.to.length > 0 ? undefined : true} title={wayOf(entry)}>
                {wayOf(entry)}
              </span>
            </button>
          </li>
        ))}
        {found.length === 0 && <li className={inspector.empty}>Not Found</li>}
      </ol>
      {shown && <Detail entry={shown} />}
    </>
  )
}
