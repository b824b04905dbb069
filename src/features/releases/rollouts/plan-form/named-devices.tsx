import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { devicesQuery } from '../../../../api/queries/fleet/devices'
import { pluralize } from '../../../../lib/pluralize'
import { useSystem } from '../../../../system/system'
import { Button } from '../../../../ui/button'
import { MultiSelectField } from '../../../../ui/form/select-field'
import { TextField } from '../../../../ui/form/text-field'
import { useSettled } from './use-settled'

type Props = { projectId: string; ids: readonly string[]; onChange: (ids: string[]) => void; error: string | undefined }

// More names than this would fill the screen; the preview lists them all.
const shownAtOnce = 20
const stack = css({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: '8' })
const row = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8' })
const quiet = css({ textStyle: 'small', color: 'muted' })

/** Devices by name, in addition to those that the other fields select. The server searches, so that a fleet can be large. */
export const NamedDevices = ({ projectId, ids, onChange, error }: Props) => {
  const { api } = useSystem()
  const [typed, setTyped] = useState('')
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  const q = useSettled(typed.trim(), 250)
  const found = useInfiniteQuery({ ...devicesQuery(api, projectId, { q, limit: 8 }), enabled: q !== '' })
  const hits = q === '' ? [] : (found.data?.pages[0]?.devices ?? []).filter(({ id }) => !ids.includes(id))
  const add = (id: string, name: string) => {
    setNames((known) => new Map(known).set(id, name))
    onChange([...ids, id])
  }
  return (
    <div className={stack}>
      {ids.length > 0 && ids.length <= shownAtOnce && (
        <MultiSelectField
          label="Named devices"
          items={ids.map((id) => ({ value: id, label: names.get(id) ?? id }))}
          value={ids}
          onValueChange={onChange}
          error={error}
        />
      )}
      {ids.length > shownAtOnce && (
        <div className={row}>
          <span>{pluralize(ids.length, 'named device')}</span>
          <Button size="small" onClick={() => onChange([])}>
            Remove all
          </Button>
        </div>
      )}
      <TextField
        label={ids.length === 0 ? 'Named devices' : 'Add a named device'}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        placeholder="Search by name or serial number"
        error={ids.length === 0 || ids.length > shownAtOnce ? error : undefined}
      />
      {q !== '' && found.data && hits.length === 0 && <p className={quiet}>No other device has this name or serial number.</p>}
      {hits.length > 0 && (
        <div className={row}>
          {hits.map(({ id, name }) => (
            <Button key={id} size="small" onClick={() => add(id, name)}>
              Add {name}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}
