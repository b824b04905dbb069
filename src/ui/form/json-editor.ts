import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view'
import { brokenAt } from '../../lib/json-position'
import { jsonColours, jsonTheme } from './json-theme'

type Options = {
  host: HTMLElement
  text: string
  label: string
  onChange: (text: string) => void
  onFocus: (focused: boolean) => void
}

export type JsonEditor = {
  focus: () => void
  replace: (text: string) => void
  /** Sets the description and error state for screen readers. */
  describe: (words: string | undefined, invalid: boolean) => void
  end: () => void
}

const brokenLine = Decoration.line({ class: 'cm-brokenLine' })
const brokenMark = Decoration.mark({ class: 'cm-broken' })

const marksOf = ({ doc }: EditorState): DecorationSet => {
  const text = doc.toString()
  const place = text.trim() === '' ? undefined : brokenAt(text)
  if (!place) return Decoration.none
  const line = doc.lineAt(place.at)
  const marks = [brokenLine.range(line.from)]
  // At the end of a line there is nothing to underline.
  if (place.at < line.to) marks.push(brokenMark.range(place.at, place.at + 1))
  return Decoration.set(marks)
}

/** Marks the line and the character of the first error during typing. */
const broken = StateField.define<DecorationSet>({
  create: marksOf,
  update: (marks, change) => (change.docChanged ? marksOf(change.state) : marks),
  provide: (field) => EditorView.decorations.from(field),
})

/**
 * Handles typing over a selection: Chromium would otherwise keep the replaced text's style in a style attribute, which the
 * content policy refuses with a console error.
 */
const typingOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event
    if (inputType !== 'insertText' || data === null || view.composing || view.state.selection.main.empty) return false
    event.preventDefault()
    view.dispatch(view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true }))
    return true
  },
})

/**
 * CodeMirror in a shadow root: its style sheets are adopted there, while the content policy would refuse a style element. Tab
 * is left to the browser, so that it moves to the next control.
 */
export const openJsonEditor = ({ host, text, label, onChange, onFocus }: Options): JsonEditor => {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const described = new Compartment()
  const attributes = (words: string | undefined, invalid: boolean) =>
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-invalid': String(invalid),
      ...(words !== undefined && { 'aria-description': words }),
      spellcheck: 'false',
      autocapitalize: 'off',
    })
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        history(),
        indentOnInput(),
        bracketMatching(),
        json(),
        syntaxHighlighting(jsonColours),
        indentUnit.of('  '),
        EditorState.tabSize.of(2),
        EditorView.lineWrapping,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        broken,
        typingOver,
        jsonTheme,
        described.of(attributes(undefined, false)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString())
          if (update.focusChanged) onFocus(update.view.hasFocus)
        }),
      ],
    }),
  })
  return {
    focus: () => view.focus(),
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    describe: (words, invalid) => view.dispatch({ effects: described.reconfigure(attributes(words, invalid)) }),
    end: () => view.destroy(),
  }
}
