import { html, type Markup } from '../core/html'
import { shapes } from './page'

export type Wrong = Readonly<Record<string, string | undefined>>

type Field = {
  name: string
  label: string
  type?: 'text' | 'email' | 'password'
  value?: string | undefined
  autocomplete: string
  /** Digits only: phones show the numeric keyboard. */
  numeric?: boolean
  hint?: string
  /** Content next to the label, such as a link. */
  aside?: Markup
  /** Focused at first, if the page has no errors. */
  focus?: boolean
  /** Shown and sent, but read-only. */
  fixed?: boolean
  wrong?: Wrong
}

/** A page with errors focuses its first wrong field: the messages are in the order of the fields. */
const firstWrong = (wrong: Wrong): string | undefined => Object.entries(wrong).find(([, message]) => message)?.[0]

const eye = (id: string) =>
  html`<button type="button" class="reveal" hidden aria-controls="${id}" aria-pressed="false" aria-label="Show password">
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M1.8 8C3.3 5.2 5.4 3.8 8 3.8S12.7 5.2 14.2 8c-1.5 2.8-3.6 4.2-6.2 4.2S3.3 10.8 1.8 8z" />
      <circle cx="8" cy="8" r="1.8" />
    </svg>
  </button>`

/** One labelled input with its hint and, under it, the error. */
export const field = ({
  name,
  label,
  type = 'text',
  value,
  autocomplete,
  numeric,
  hint,
  aside,
  focus,
  fixed,
  wrong = {},
}: Field): Markup => {
  const message = wrong[name]
  const first = firstWrong(wrong)
  const focused = first === undefined ? focus : first === name
  const described = [hint && `${name}-hint`, message && `${name}-wrong`].filter(Boolean).join(' ')
  return html`<div class="field">
    <div class="label"><label for="${name}">${label}</label>${aside}</div>
    <div class="box">
      <input
        id="${name}"
        name="${name}"
        type="${type}"
        value="${value ?? ''}"
        autocomplete="${autocomplete}"
        required
        aria-invalid="${message ? 'true' : 'false'}"
        aria-describedby="${described}"
        ${fixed && html`readonly`}
        ${numeric && html`inputmode="numeric"`}
        ${focused && html`autofocus`}
      />
      ${type === 'password' && eye(name)}
    </div>
    ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${message && html`<p class="wrong" id="${name}-wrong">${shapes.error}${message}</p>`}
  </div>`
}

export const hidden = (values: Readonly<Record<string, string>>): Markup[] =>
  Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)

export const notice = (text: string | Markup | undefined, kind: 'info' | 'error' = 'error'): Markup | undefined =>
  text === undefined
    ? undefined
    : html`<div class="notice ${kind === 'error' ? 'bad' : ''}" role="${kind === 'error' ? 'alert' : 'status'}">
        ${shapes[kind]}<span>${text}</span>
      </div>`
