import { is } from 'superstruct'
import { InstallLocation } from '../../../contract/device/manifest-fields'
import { TextField } from '../../ui/form/text-field'

/** The target directory of the dropped files on the device. */
export const DirectoryField = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <TextField
    label="Install directory"
    required
    mono
    value={value}
    onChange={(event) => onChange(event.target.value)}
    error={is(value, InstallLocation) ? undefined : "Enter an absolute path without '..'"}
    hint="On the device; each file keeps its name."
  />
)
