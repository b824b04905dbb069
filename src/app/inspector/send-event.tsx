import { useState } from 'react'
import type { AnyMachineSnapshot } from 'xstate'
import { Button } from '../../ui/button'
import { Textarea } from '../../ui/form/textarea'
import { shownOf } from './charts'
import { inspector } from './inspector.recipe'
import type { RunningChart } from './recorder'

type Event = { type: string }

const read = (text: string): Event | string => {
  try {
    const event: unknown = JSON.parse(text)
    if (typeof event === 'object' && event !== null && 'type' in event && typeof event.type === 'string')
      return { ...event, type: event.type }
    return 'An event is an object with a type'
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON'
  }
}

/** Sends an event of the chart: starts from the samples of its model, editable. */
export const SendEvent = ({ live: { ref, machine } }: { live: RunningChart }) => {
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<string>()
  const samples = Object.values(shownOf(machine.id)?.model.events ?? {}).flat()
  const snapshot = ref.getSnapshot() as AnyMachineSnapshot
  const send = () => {
    const event = read(text)
    setWrong(typeof event === 'string' ? event : undefined)
    if (typeof event !== 'string') ref.send(event)
  }
  return (
    <>
      <ul className={inspector.scroll} aria-label="Sample events">
        {samples.map((event) => {
          const { type, ...facts } = event
          const sample = JSON.stringify(event)
          return (
            <li key={sample}>
              <button
                type="button"
                className={inspector.row}
                aria-pressed={sample === text}
                onClick={() => {
                  setText(sample)
                  setWrong(undefined)
                }}
              >
                <strong>{type}</strong>
                <span className={inspector.note}>{Object.keys(facts).length > 0 && JSON.stringify(facts)}</span>
                {!snapshot.can(event) && <small>ignored now</small>}
              </button>
            </li>
          )
        })}
      </ul>
      <form
        className={inspector.form}
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <Textarea
          aria-label="Event"
          mono
          placeholder='{ "type": "…" }'
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {wrong !== undefined && (
          <p role="alert" className={inspector.wrong}>
            {wrong}
          </p>
        )}
        <div>
          <Button type="submit" variant="primary" size="small">
            Send to {machine.id}
          </Button>
        </div>
      </form>
    </>
  )
}
