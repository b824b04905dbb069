import { useCallback, useEffect, useState } from 'react'
import type { DeviceConfigForm } from '../../../contract/fleet/configs'
import { type PublicKey, publicKeyFromPem } from '../../../contract/device/public-key'
import { configOf } from '../../../contract/fleet/generated-config'
import type { SigningKey } from '../../../contract/fleet/keys'
import { readForm } from './config-form'

/** Only Generate creates the token of a group. */
const laterToken = 'enr_…'

/** The keys in the form of device.json, by id. */
const usePublicKeys = (keys: readonly SigningKey[]) => {
  const [known, setKnown] = useState<ReadonlyMap<string, PublicKey>>(new Map())
  const pems = JSON.stringify(keys.map(({ id, public_key_pem }) => [id, public_key_pem]))
  useEffect(() => {
    let wanted = true
    const read = async () => {
      const entries = JSON.parse(pems) as [string, string][]
      const found = await Promise.all(entries.map(async ([id, pem]) => [id, await publicKeyFromPem(pem)] as const))
      if (wanted) setKnown(new Map(found.flatMap(([id, key]) => (key ? [[id, key] as const] : []))))
    }
    void read()
    return () => {
      wanted = false
    }
  }, [pems])
  return known
}

/** The device.json that the form would give as it stands, which may be incomplete. `read` reads the form in an element again. */
export const useDraft = (projectId: string, keys: readonly SigningKey[], keyIds: readonly string[]) => {
  const [data, setData] = useState<FormData>()
  const publicKeys = usePublicKeys(keys)
  const read = useCallback((element: HTMLElement | null) => {
    const form = element?.querySelector('form')
    if (form) setData(new FormData(form))
  }, [])
  if (data === undefined) return { draft: undefined, read }
  // Controls may be empty: the draft is as incomplete as the form.
  const form = readForm(data, keyIds) as unknown as DeviceConfigForm
  const { device_id = '', device_token = '' } = form
  const identity = form.enrollment === 'group' ? { enrollment_token: laterToken } : { device_id, device_token }
  const trusted = keyIds.flatMap((id) => publicKeys.get(id) ?? [])
  return { draft: configOf(form, projectId, identity, trusted), read }
}
