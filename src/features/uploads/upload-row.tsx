import { useSelector } from '@xstate/react'
import { css } from 'styled-system/css'
import type { UploadActor } from '../../system/uploads/uploads'
import { DockRow } from '../../ui/overlay/dock'
import { kindOf, Shape } from '../../ui/layout/shape'
import { Progress } from '../../ui/layout/progress'
import { FileAgain } from './file-again'
import { UploadActions } from './upload-actions'
import { describe, paceOf, percentOf } from './upload-text'

const line = css({
  display: 'flex',
  alignItems: 'center',
  gap: '4',
  minH: 'controlSmall',
  '& > :first-child': { flex: '1', minW: '0' },
  '& > button:last-child': { mr: '-8' },
})

type Props = { upload: UploadActor; several: boolean; onFile: (file: File) => void }

/** Updates arrive at most ten times a second, so it is drawn no more often than that. */
export const UploadRow = ({ upload, several, onFile }: Props) => {
  const snapshot = useSelector(upload, (one) => one)
  const { name } = snapshot.context.file
  const { shape, words } = describe(snapshot, several)
  // A long sentence has its own line: next to the name there is space for a few words.
  const isLong = words.length > 40
  const pace = paceOf(snapshot)
  const sent = snapshot.hasTag('finishing') ? 1 : percentOf(snapshot) / 100
  return (
    <DockRow
      shape={<Shape name={shape} />}
      name={name}
      text={
        <span className={line}>
          <span>{!isLong && words}</span>
          {snapshot.hasTag('offered') && <FileAgain name={name} onFile={onFile} />}
          <UploadActions upload={upload} name={name} />
        </span>
      }
      note={isLong && words}
      bar={
        <Progress label={name} value={sent} kind={kindOf(shape)}>
          {pace && `${pace.rate} · ${pace.left}`}
        </Progress>
      }
    />
  )
}
