import { useState } from 'react'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { SigningKey } from '../../../contract/fleet/keys'
import type { FieldError } from '../../../contract/core/field-errors'
import { ApiError } from '../../../src/api/failure'
import { SignOutside } from '../../../src/system/signing/sign-outside'
import { FailureBox } from '../../../src/system/failure/failure-box'
import { makeSystem, mount } from './system'

const key: SigningKey = {
  id: '01K00000000000000000000KEY',
  created_at: '2026-06-01T12:00:00+00:00',
  updated_at: '2026-06-01T12:00:00+00:00',
  revision: 1,
  name: 'Release 2026',
  algorithm: 'ed25519',
  public_key_pem: '',
  fingerprint: 'a'.repeat(64),
  custody: 'external',
  purpose: 'release',
  state: 'active',
  expires_at: null,
  last_used_at: null,
  is_known_test_key: false,
  coverage: { trusting: 3, total: 3 },
}
const toSign = {
  manifest_sha256: 'b'.repeat(64),
  payload_type: 'application/vnd.teasel.manifest+json',
  payload_base64: 'e30=',
  to_sign_base64: 'e30=',
  pae_sha256: 'c'.repeat(64),
  command: '',
}
const message = 'This signature was made with the key Night shift. Choose that key or sign with the chosen one'

/** A server that refuses every signature with a reason. */
const Refusing = () => {
  const [details, setDetails] = useState<FieldError[]>([])
  const refuse = () => setDetails([{ field: 'signature_base64', code: 'other_key', message }])
  return (
    <SignOutside
      document="manifest"
      fileName="manifest-Gateway-2.6.0"
      toSign={toSign}
      keys={[key]}
      busy={false}
      refused={undefined}
      details={details}
      onSign={refuse}
    />
  )
}

it('a refused signature says under its field what is wrong with it, until another one is pasted', async () => {
  mount(makeSystem(), <Refusing />)
  const signature = page.getByRole('textbox', { name: 'Signature' })
  await expect.element(page.getByRole('button', { name: 'Download manifest-Gateway-2.6.0.json' })).toBeVisible()
  await expect.element(page.getByText('--manifest manifest-Gateway-2.6.0.json')).toBeVisible()
  await signature.fill(`${'A'.repeat(86)}==`)
  await page.getByRole('button', { name: 'Add signature' }).click()
  await expect.element(signature).toHaveAccessibleDescription(message)
  await expect.element(signature).toBeInvalid()
  await signature.fill(`${'B'.repeat(86)}==`)
  await expect.element(page.getByText(message)).not.toBeInTheDocument()
})

it('a refusal about fields outside a form says what is wrong with each of them', async () => {
  const failure = {
    status: 422,
    code: 'invalid',
    message: 'Some fields are invalid',
    details: [{ field: 'expires_at', code: 'too_soon', message: 'The manifest must be valid for at least 24 hours' }],
    requestId: undefined,
    requiredPermission: undefined,
    requiredPlan: undefined,
    retryAfterS: undefined,
    about: undefined,
  }
  mount(makeSystem(), <FailureBox error={new ApiError(failure)} />)
  await expect.element(page.getByText('The manifest must be valid for at least 24 hours')).toBeVisible()
})
