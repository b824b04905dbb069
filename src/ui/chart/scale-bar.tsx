import type { CSSProperties } from 'react'
import { scaleBar } from 'styled-system/recipes'
import type { Kind } from '../text/kind'

/** `until`: the percent at which the stage ends. Parts are shares of the stage, 0 to 1; the rest is waiting. */
export type Stage = { name: string; until: number; current?: boolean; parts: { kind: Kind; label: string; share: number }[] }

const at = (percent: number, extra: CSSProperties = {}): CSSProperties => ({ '--at': percent / 100, ...extra })

const ticks = (height: number, percents: readonly number[]) => percents.map((p) => `M${p * 10} 0v${height}`).join('')
const tens = ticks(6, [10, 20, 30, 40, 50, 60, 70, 80, 90])
const ones = ticks(
  3,
  Array.from({ length: 100 }, (_, percent) => percent),
)
const rounded = (percent: number) => Math.round(percent * 10) / 10

/** One bar, true to percent: the waves of a rollout, each filled with its results, over a scale of every percent. */
export const ScaleBar = ({ stages, label }: { stages: readonly Stage[]; label: string }) => {
  const classes = scaleBar()
  const ends = stages.map((stage) => stage.until)
  const startOf = (index: number) => stages[index - 1]?.until ?? 0
  const words = stages.map(
    (s) =>
      `${s.name} to ${rounded(s.until)} %: ${s.parts.map((p) => `${Math.floor(p.share * 100)} % ${p.label}`).join(', ') || 'waiting'}`,
  )
  return (
    <div className={classes.root} role="img" aria-label={`${label}. ${words.join('. ')}`}>
      <div className={classes.labels}>
        {stages.map(
          (stage, index) =>
            stage.until - startOf(index) >= 8 && (
              <span
                key={stage.name}
                className={classes.label}
                data-current={stage.current || undefined}
                style={at(startOf(index))}
              >
                {stage.name}
              </span>
            ),
        )}
      </div>
      <div className={classes.bar}>
        {stages.map((stage, index) => (
          <div
            key={stage.name}
            className={classes.stage}
            style={at(startOf(index), { '--width': (stage.until - startOf(index)) / 100 })}
          >
            {stage.parts.map(
              (part) =>
                part.share > 0 && (
                  <span key={part.label} className={classes.part} data-kind={part.kind} style={{ '--share': part.share }} />
                ),
            )}
          </div>
        ))}
      </div>
      <svg className={classes.ruler} viewBox="0 0 1000 10" preserveAspectRatio="none" stroke="currentColor">
        <path className={classes.fine} vectorEffect="non-scaling-stroke" d={ones} />
        <path vectorEffect="non-scaling-stroke" d={tens + ticks(10, [0, ...ends])} />
      </svg>
      <div className={classes.ends}>
        {ends.map((end) => (
          <span key={end} className={classes.end} data-near={end <= 2 ? 'start' : end >= 98 ? 'end' : undefined} style={at(end)}>
            {rounded(end)} %
          </span>
        ))}
      </div>
    </div>
  )
}
