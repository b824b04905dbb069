import { useState } from 'react'
import { css } from 'styled-system/css'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { type ArtifactRole, artifactRoles } from '../../../contract/updates/secure-boot/platforms'
import { formatBytes } from '../../lib/bytes'
import { Button } from '../../ui/button'
import { Combobox } from '../../ui/form/combobox'
import { DropZone } from '../../ui/form/drop-zone'
import { IconButton } from '../../ui/icon/icon-button'
import { roleLabels } from './bundle-display'
import { guessRole } from './guess-role'
import { type ChosenPart, useAddParts } from './use-add-parts'

const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })
const list = css({ display: 'grid', gap: '8', gridTemplateColumns: 'minmax(0, 1fr)' })
const row = css({
  display: 'grid',
  alignItems: 'center',
  columnGap: '8',
  rowGap: '4',
  gridTemplateColumns: { base: 'minmax(0, 1fr) auto', sm: 'minmax(0, 1fr) {sizes.232} auto' },
  '& > :nth-child(2)': { smDown: { gridRow: '2', gridColumn: '1 / -1' } },
})
const name = css({ minW: '0', overflowWrap: 'anywhere' })
const quiet = css({ color: 'muted', textStyle: 'small' })
const roles = artifactRoles.map((value) => ({ value, label: roleLabels[value] }))
/** No rule for a role looks further. */
const headBytes = 16

const proposed = async (bundle: SecureBootBundle, file: File): Promise<ChosenPart> => {
  // A dropped folder has no bytes; the upload panel says so.
  const head = await file
    .slice(0, headBytes)
    .arrayBuffer()
    .catch(() => new ArrayBuffer(0))
  return { file, role: guessRole(bundle.platform, file.name, new Uint8Array(head)) }
}

/** Chooses files and their roles; a role is proposed from the name and the first bytes. The uploads go on in the panel. */
export const AddParts = ({ bundle }: { bundle: SecureBootBundle }) => {
  const addParts = useAddParts()
  const [parts, setParts] = useState<readonly ChosenPart[]>([])
  const choose = async (files: File[]) => {
    const added = await Promise.all(files.map((file) => proposed(bundle, file)))
    setParts((now) => [...now, ...added])
  }
  const change = (index: number, role: ArtifactRole) =>
    setParts((now) => now.map((part, n) => (n === index ? { ...part, role } : part)))
  const upload = () => {
    void addParts(bundle, parts)
    setParts([])
  }
  return (
    <div className={stack}>
      <DropZone label="Add parts" multiple limitText="A file can have up to 3.5 GB." onFiles={(files) => void choose(files)} />
      {parts.length > 0 && (
        <>
          <ul className={list} aria-label="Chosen files">
            {parts.map(({ file, role }, index) => (
              <li key={`${file.name}:${index}`} className={row}>
                <span className={name}>
                  <code>{file.name}</code> <span className={quiet}>{formatBytes(file.size)}</span>
                </span>
                <Combobox
                  label={`Role of ${file.name}`}
                  items={roles}
                  value={role}
                  onValueChange={(chosen) => chosen !== '' && change(index, chosen)}
                />
                <IconButton
                  icon="x"
                  size="small"
                  variant="ghost"
                  label={`Leave out ${file.name}`}
                  data-analytics-name="Leave out part"
                  onClick={() => setParts((now) => now.filter((_, n) => n !== index))}
                />
              </li>
            ))}
          </ul>
          <div>
            <Button variant="primary" onClick={upload}>
              Upload {parts.length === 1 ? '1 part' : `${parts.length} parts`}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}
