import type { CSSProperties, ReactNode } from 'react'
import { progress } from 'styled-system/recipes'
import type { Kind, TagColor } from '../text/kind'

/** The part of the track that a bar takes, from 0 to 1, for the styles of the recipe. */
export const share = (value: number): CSSProperties => ({ '--share': Math.min(1, Math.max(0, value)) })

export type Part = { label: string; count: number } & (
  | { kind: Kind | 'rest'; tag?: never; step?: never }
  | { tag: TagColor; kind?: never; step?: never }
  | { step: 0 | 1 | 2 | 3; kind?: never; tag?: never }
)

type StackedProps = { parts: Part[]; total?: number; label: string; thick?: boolean; children?: ReactNode }

/** Several parts of one whole. The rest of the track is waiting; zero parts are not drawn. */
export const StackedBar = ({ parts, total, label, thick, children }: StackedProps) => {
  const classes = progress()
  const whole = total ?? parts.reduce((sum, part) => sum + part.count, 0)
  const words = parts.filter((part) => part.count > 0).map((part) => `${part.label} ${part.count}`)
  const track = (
    <span
      className={classes.track}
      data-thick={thick || undefined}
      role="img"
      aria-label={`${label}: ${words.join(', ') || 'none'}`}
    >
      {parts.map(
        (part) =>
          part.count > 0 && (
            <span
              key={part.label}
              className={classes.part}
              data-kind={part.kind}
              data-tag={part.tag}
              data-step={part.step}
              style={share(part.count / whole)}
            />
          ),
      )}
    </span>
  )
  if (children === undefined) return track
  return (
    <span className={classes.root}>
      {track}
      <span className={classes.word}>{children}</span>
    </span>
  )
}
