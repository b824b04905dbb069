import { useEffect, useRef, useState } from 'react'
import { css } from 'styled-system/css'
import { input } from 'styled-system/recipes'
import { brokenAt } from '../../lib/json-position'
import { Button } from '../button'
import { useField } from './use-field'
import { Textarea } from './textarea'
import type { JsonEditor } from './json-editor'

type Props = {
  name: string
  label: string
  defaultValue: string
  /** The error shown beneath the control, also for screen readers. */
  error: string | undefined
  onChange: (text: string) => void
}

const root = css({ position: 'relative', display: 'block', '&[data-ready] > [data-text]': { srOnly: true } })
const tools = css({ position: 'absolute', top: '4', right: '4', zIndex: 'content' })
const ground = css({ flex: '1', minW: '0', bg: 'code', borderRadius: '4', overflow: 'hidden' })

/** A text area holds the text for forms; the editor covers it once it has loaded, and without the editor it stays usable. */
export const JsonInput = ({ name, label, defaultValue, error, onChange }: Props) => {
  const field = useField()
  const host = useRef<HTMLDivElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const editor = useRef<JsonEditor>(undefined)
  const change = useRef(onChange)
  const [ready, setReady] = useState(false)
  const [focused, setFocused] = useState(false)
  useEffect(() => {
    change.current = onChange
  })
  useEffect(() => {
    let wanted = true
    void import('./json-editor').then(
      ({ openJsonEditor }) => {
        if (!wanted || !host.current || !area.current) return
        const held = area.current
        // Keeps the focus if the user was typing.
        const typing = document.activeElement === held
        editor.current = openJsonEditor({
          host: host.current,
          text: held.value,
          label,
          onFocus: setFocused,
          onChange: (text) => {
            held.value = text
            held.dispatchEvent(new Event('input', { bubbles: true }))
            change.current(text)
          },
        })
        setReady(true)
        if (typing) editor.current.focus()
      },
      // The editor did not load: the text area stays, and is sufficient.
      () => {},
    )
    return () => {
      wanted = false
      editor.current?.end()
      editor.current = undefined
    }
  }, [label])
  useEffect(() => {
    if (ready) editor.current?.describe(error, error !== undefined)
  }, [error, ready])
  const format = () => {
    const text = area.current?.value ?? ''
    if (brokenAt(text)) return
    editor.current?.replace(JSON.stringify(JSON.parse(text), null, 2))
  }
  return (
    <div className={root} data-ready={ready || undefined}>
      <div data-text>
        <Textarea
          ref={area}
          mono
          rows={6}
          spellCheck={false}
          name={name}
          defaultValue={defaultValue}
          onChange={(event) => change.current(event.target.value)}
          {...(ready && { tabIndex: -1, 'aria-hidden': true, onFocus: () => editor.current?.focus() })}
        />
      </div>
      <div
        className={input().root}
        hidden={!ready}
        data-focus={focused || undefined}
        data-invalid={field?.['aria-invalid'] || undefined}
      >
        <div ref={host} className={ground} />
      </div>
      {ready && (
        <span className={tools}>
          <Button size="small" variant="ghost" onClick={format}>
            Format
          </Button>
        </span>
      )}
    </div>
  )
}
