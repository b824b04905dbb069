import type { ReactNode } from 'react'
import { codeBlock } from 'styled-system/recipes'
import { CopyButton } from './copy-button'
import { tokensOf } from '../form/json-tokens'

type Props = {
  code: string
  label: string
  json?: boolean
  numbers?: boolean
  /** Lines to highlight (from 1): the lines of the last change. */
  marked?: readonly number[]
  copy?: boolean
  /** The copied text, if it differs from the shown one (a secret inserted). */
  copyValue?: string | (() => string | Promise<string>)
}

/** A command, a log or JSON: no wrap, lines numbered, copy button on the right. */
export const Code = ({ code, label, json, numbers = json, marked = [], copy = true, copyValue }: Props) => {
  const classes = codeBlock()
  return (
    <div className={classes.root}>
      <pre className={classes.pre} tabIndex={0} aria-label={label}>
        {code.split('\n').map((line, index) => (
          <code
            key={index}
            className={classes.line}
            data-plain={numbers ? undefined : true}
            data-marked={marked.includes(index + 1) || undefined}
          >
            {numbers && (
              <span className={classes.number} aria-hidden>
                {index + 1}
              </span>
            )}
            <span>{json ? tokensOf(line).map((token, at) => tokenOf(token, at)) : line}</span>
          </code>
        ))}
      </pre>
      {copy && (
        <span className={classes.copy}>
          <CopyButton value={copyValue ?? code} />
        </span>
      )}
    </div>
  )
}

const tokenOf = ([kind, text]: ReturnType<typeof tokensOf>[number], at: number): ReactNode =>
  kind === 'ink' ? (
    text
  ) : (
    <span key={at} data-token={kind}>
      {text}
    </span>
  )

type DiffLine = { path: string; before?: string | undefined; after?: string | undefined }

/** Old and new values, by path. */
export const Diff = ({ lines, label }: { lines: readonly DiffLine[]; label: string }) => {
  const classes = codeBlock()
  return (
    <div className={classes.root} role="group" aria-label={label}>
      {lines.map((line) => (
        <div key={line.path} className={classes.change}>
          <code className={classes.path}>{line.path}</code>
          {line.before !== undefined && (
            <code className={classes.line} data-plain data-diff="out">
              <del>- {line.before}</del>
            </code>
          )}
          {line.after !== undefined && (
            <code className={classes.line} data-plain data-diff="in">
              <ins>+ {line.after}</ins>
            </code>
          )}
        </div>
      ))}
    </div>
  )
}

export const InlineCode = ({ children }: { children: ReactNode }) => <code className={codeBlock().inline}>{children}</code>
