import { Suspense, useState } from 'react'
import { generatedTokenLimitsFor } from '../../../contract/fleet/enrollment-tokens'
import { configDefaults, stopAfters, updateModes } from '../../../contract/device/config-fields'
import type { SigningKey } from '../../../contract/fleet/keys'
import type { Grants } from '../../../contract/core/permissions'
import { pluralize } from '../../lib/pluralize'
import { useGrants } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { Checkbox } from '../../ui/form/choice'
import { GroupField, SegmentField } from '../../ui/form/choice-field'
import { Pair } from '../../ui/form/form'
import { SecondsField } from '../../ui/form/seconds-field'
import { NumberField, TextField } from '../../ui/form/text-field'
import { Callout } from '../../ui/layout/notice'
import { type Defaults, swapDirectory } from './config-form'
import { KeyChoice } from './key-choice'

type Props = {
  form: { field: (name: string) => { name: string; error: string | undefined } }
  defaults: Defaults
  keys: readonly SigningKey[]
  keyIds: readonly string[]
  onKeyIds: (ids: string[]) => void
}

// The searchable list loads separately; until then the form sends the default.
const LogLevelField = lazyPart(() => import('./log-level-field').then((part) => part.LogLevelField))

const modeLabels: Record<(typeof updateModes)[number], string> = { file: 'Files', ab_rootfs: 'A/B slots' }
const stopLabels: Record<(typeof stopAfters)[number], string> = { none: 'Never', download: 'Download', install: 'Install' }

const groupHint = (grants: Grants) => {
  const { maxUses, days } = generatedTokenLimitsFor(grants)
  return maxUses === null
    ? `The token enrolls any number of devices for ${days} days.`
    : `With your role, the token enrolls up to ${pluralize(maxUses, 'device')} within ${days} days.`
}

/** The fields in order: identity, trusted keys, directories, intervals. */
export const ConfigFields = ({ form: { field }, defaults, keys, keyIds, onKeyIds }: Props) => {
  const { device } = defaults
  const grants = useGrants()
  const [enrollment, setEnrollment] = useState<'group' | 'pre_enrolled'>(device ? 'pre_enrolled' : 'group')
  const [mode, setMode] = useState<(typeof updateModes)[number]>(defaults.update_mode)
  return (
    <>
      <TextField
        {...field('name')}
        label="Name"
        required
        autoFocus
        defaultValue={device?.name}
        hint="Name of the device, or of the group that shares this file."
      />
      <SegmentField
        {...field('enrollment')}
        label="Enrollment"
        items={[
          { value: 'group', label: 'Group' },
          { value: 'pre_enrolled', label: 'Pre-enrolled' },
        ]}
        value={enrollment}
        onValueChange={setEnrollment}
        hint={enrollment === 'group' && grants !== undefined ? groupHint(grants) : undefined}
        info="Group: a token lets devices enroll. Pre-enrolled: the id and token of one device that was added before."
      />
      {enrollment === 'pre_enrolled' && (
        <Pair>
          <TextField {...field('device_id')} label="Device id" required mono defaultValue={device?.id} spellCheck={false} />
          <TextField
            {...field('device_token')}
            label="Device token"
            required
            mono
            defaultValue={device?.token}
            autoComplete="off"
            spellCheck={false}
            hint="Shown once, when the device was added or a new token was issued."
          />
        </Pair>
      )}
      <Pair>
        <TextField {...field('hardware_model')} label="Hardware model" required mono defaultValue={defaults.hardware_model} />
        <TextField {...field('server_url')} label="Server URL" required mono defaultValue={defaults.server_url} />
      </Pair>
      {keys.length === 0 ? (
        <Callout kind="warning">
          Add a signing key under Settings, Access first. Without one the client refuses every update.
        </Callout>
      ) : (
        <KeyChoice keys={keys} chosen={keyIds} onChange={onKeyIds} error={field('public_key_ids').error} />
      )}
      <SegmentField
        {...field('update_mode')}
        label="Update mode"
        items={updateModes.map((value) => ({ value, label: modeLabels[value] }))}
        value={mode}
        onValueChange={setMode}
      />
      {mode === 'ab_rootfs' && (
        <Pair>
          <TextField
            {...field('slots.a')}
            label="Slot a"
            mono
            placeholder="/dev/mmcblk2p2"
            hint="Leave both empty for files in the install root."
          />
          <TextField {...field('slots.b')} label="Slot b" mono placeholder="/dev/mmcblk2p3" />
        </Pair>
      )}
      <Pair>
        <TextField
          {...field('persistent_directory')}
          label="Persistent directory"
          required
          mono
          defaultValue={defaults.persistent_directory}
          hint="Identity and state; must survive a reboot."
        />
        <TextField {...field('install_root')} label="Install root" required mono defaultValue={defaults.install_root} />
      </Pair>
      <GroupField label="Trial">
        <Checkbox name="trial" onChange={({ target }) => swapDirectory(target)}>
          For a trial: state may be under /tmp
        </Checkbox>
      </GroupField>
      <TextField
        {...field('reboot_command')}
        label="Reboot command"
        mono
        placeholder="systemctl reboot"
        hint="Leave empty to restart only the client."
      />
      <Pair>
        <TextField
          {...field('identity_path')}
          label="Identity path"
          mono
          placeholder="/proc/device-tree/serial-number"
          hint="File with the serial number in its first line. Optional: otherwise the client makes up a number and keeps it."
        />
        <TextField
          {...field('fallback_manifest_url')}
          label="Fallback manifest URL"
          mono
          placeholder="https://"
          hint="Signed manifest to look at while the server cannot be reached. Optional."
        />
      </Pair>
      <Pair>
        <SecondsField
          {...field('polling_interval_s')}
          label="Polling interval"
          required
          defaultValue={String(defaults.polling_interval_s)}
        />
        <SecondsField
          {...field('network_timeout_s')}
          label="Network timeout"
          required
          defaultValue={String(defaults.network_timeout_s)}
        />
      </Pair>
      <Pair>
        <NumberField
          {...field('download_retries')}
          label="Download retries"
          required
          defaultValue={String(defaults.download_retries)}
        />
        <SecondsField
          {...field('metrics_interval_s')}
          label="Metrics interval"
          required
          defaultValue={String(defaults.metrics_interval_s)}
        />
      </Pair>
      <Pair>
        <Suspense fallback={<input type="hidden" name="log_level" value={configDefaults.log_level} />}>
          <LogLevelField {...field('log_level')} />
        </Suspense>
        <SegmentField
          {...field('stop_after')}
          label="Stop after"
          items={stopAfters.map((value) => ({ value, label: stopLabels[value] }))}
          defaultValue={configDefaults.stop_after}
        />
      </Pair>
      <GroupField label="Behaviour">
        <Checkbox name="logs_enabled" defaultChecked={configDefaults.logs_enabled}>
          Send logs
        </Checkbox>
        <Checkbox name="single_check" defaultChecked={configDefaults.single_check}>
          Check once, then exit
        </Checkbox>
      </GroupField>
    </>
  )
}
