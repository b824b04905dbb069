import { css } from 'styled-system/css'
import { messages } from '../../../contract/core/error-messages'
import { Button } from '../../ui/button'
import type { Conflict } from './edit-conflict'

type Props = {
  conflict: Conflict<unknown>
  /** Labels of the fields and of their values. */
  labels: Readonly<Record<string, string>>
  say?: (field: string, value: unknown) => string
  onKeepMine: () => void
  onTakeTheirs: () => void
}

/** A value without a text of its own, as people read it. */
export const formatValue = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ') || '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const classes = {
  root: css({ display: 'grid', gap: '8', gridTemplateColumns: 'minmax(0, 1fr)' }),
  scroll: css({ overflowX: 'auto' }),
  table: css({
    w: 'full',
    textAlign: 'left',
    color: 'text',
    '& th, & td': { pr: '16', py: '4', verticalAlign: 'top', overflowWrap: 'anywhere' },
    '& th': { whiteSpace: 'nowrap' },
  }),
  kept: css({ color: 'muted' }),
  head: css({ textStyle: 'small', color: 'muted' }),
  actions: css({ display: 'flex', flexWrap: 'wrap', gap: '8', pt: '4' }),
}

/**
 * Shows the changes of another user since the form was opened, and the choice. Rendered inside the form, so that its button
 * submits.
 */
export const ConflictNotice = ({ conflict, labels, say = (_, value) => formatValue(value), onKeepMine, onTakeTheirs }: Props) => {
  const { overlaps } = conflict
  const overwrites = overlaps.some(({ isChanged }) => isChanged)
  return (
    <div className={classes.root}>
      <strong>{messages.stale_revision}</strong>
      {!overwrites && <p>Your changes do not conflict with theirs. Save again to keep both.</p>}
      {overlaps.length > 0 && (
        <div className={classes.scroll}>
          <table className={classes.table} aria-label="What has changed">
            <thead className={classes.head}>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Was</th>
                <th scope="col">Theirs</th>
                <th scope="col">Yours</th>
              </tr>
            </thead>
            <tbody>
              {overlaps.map(({ field, was, theirs, mine, isChanged }) => (
                <tr key={field}>
                  <th scope="row">{labels[field] ?? field}</th>
                  <td>{say(field, was)}</td>
                  <td>{say(field, theirs)}</td>
                  <td>{isChanged ? say(field, mine) : <span className={classes.kept}>not changed</span>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className={classes.actions}>
        <Button type="submit" onClick={onKeepMine}>
          {overwrites ? 'Save my changes' : 'Save again'}
        </Button>
        <Button onClick={onTakeTheirs}>Discard my changes</Button>
      </div>
    </div>
  )
}
