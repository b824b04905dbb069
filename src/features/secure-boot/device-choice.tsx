import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { css } from 'styled-system/css'
import { devicesQuery } from '../../api/queries/fleet/devices'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { TextField } from '../../ui/form/text-field'

const stack = css({ display: 'grid', gap: '8', gridTemplateColumns: 'minmax(0, 1fr)', maxW: '400' })
const row = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8' })
const quiet = css({ textStyle: 'small', color: 'muted' })
const pauseMs = 250

export type ChosenDevice = { id: string; name: string }
type Props = { projectId: string; device: ChosenDevice | undefined; onChoose: (device: ChosenDevice | undefined) => void }

/** What the plan is compared with: a blank part, or a device by its name. The server searches, so that a fleet can be large. */
export const DeviceChoice = ({ projectId, device, onChoose }: Props) => {
  const { api } = useSystem()
  const [typed, setTyped] = useState('')
  const [q, setQ] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  const { data } = useInfiniteQuery({ ...devicesQuery(api, projectId, { q, limit: 8 }), enabled: q !== '' })
  const hits = q === '' ? [] : (data?.pages[0]?.devices ?? [])
  const choose = (chosen: ChosenDevice | undefined) => {
    onChoose(chosen)
    setTyped('')
    setQ('')
  }
  if (device)
    return (
      <div className={row}>
        <span>
          Compared with the report of <code>{device.name}</code>.
        </span>
        <Button size="small" onClick={() => choose(undefined)}>
          Compare with a blank part
        </Button>
      </div>
    )
  return (
    <div className={stack}>
      <span className={quiet}>Compared with a blank part: nothing burned yet.</span>
      <TextField
        label="Compare with a device"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        placeholder="Search by name or serial number"
      />
      {q !== '' && data && hits.length === 0 && <p className={quiet}>No device has this name or serial number.</p>}
      {hits.length > 0 && (
        <div className={row}>
          {hits.map(({ id, name }) => (
            <Button key={id} size="small" onClick={() => choose({ id, name })}>
              Compare with {name}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}
