import { describe, expect, it } from 'vitest'
import { isSignatureOf, rawSignature, sign } from './dsse'
import { manifestBytes, openEnvelope, payloadType } from './manifest'
import { aManifest, theDevice } from './manifest.fixture'
import { verify } from './verify'
import { accepted, ecdsa, flipped, givenBy, good, keys, refused, second, stranger } from './verify.fixture'

describe('T-17 the verdict on a manifest', () => {
  it('has at least 60 vectors with titles of their own', () => {
    const titles = [...accepted, ...refused].map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
    expect(titles.length).toBeGreaterThanOrEqual(60)
  })

  it.each(accepted)('takes $title', async (vector) => {
    const { envelope, keys: trusted, facts } = await givenBy(vector)
    expect(await verify(envelope, trusted, facts)).toMatchObject({ ok: true })
  })

  it.each(refused)('refuses $title', async ({ code, reason, ...vector }) => {
    const { envelope, keys: trusted, facts } = await givenBy(vector)
    expect(await verify(envelope, trusted, facts)).toMatchObject({ ok: false, code, reason })
  })

  it('writes a manifest that does not say what it may return to exactly as before', () => {
    const text = new TextDecoder().decode(manifestBytes(aManifest()))
    expect(text).not.toContain('may_return_to')
    expect(text.startsWith('{"allow_downgrade_from":[],"created_at":')).toBe(true)
    const listed = new TextDecoder().decode(manifestBytes(aManifest({ may_return_to: [9] })))
    expect(listed).toContain(',"may_return_to":[9],"min_installed_version":')
  })

  it('names the key that signed', async () => {
    const opened = await openEnvelope(await good({}, [stranger, second]), keys)
    expect(opened).toMatchObject({ ok: true, key: { fingerprint: second.publicKey.fingerprint }, manifest: aManifest() })
  })

  it('refuses every single flipped bit of the payload', async () => {
    const it = await good()
    const length = atob(it.payload).length
    const verdicts = await Promise.all(
      Array.from({ length }, async (_, at) => (await verify({ ...it, payload: flipped(it.payload, at) }, keys, theDevice())).ok),
    )
    expect(verdicts.filter(Boolean)).toEqual([])
  })
})

/** A DER INTEGER: no leading zeros except the one that keeps it positive. */
const integer = (value: Uint8Array) => {
  const digits = value.subarray(value.findIndex((byte) => byte !== 0))
  const positive = (digits[0] ?? 0) > 127 ? [0, ...digits] : [...digits]
  return [2, positive.length, ...positive]
}

describe('signatures made by other tools', () => {
  it('takes an ECDSA signature as OpenSSL writes it and keeps r‖s', async () => {
    const payload = manifestBytes(aManifest())
    const { signature } = await sign(ecdsa, payloadType, payload)
    const body = [...integer(signature.subarray(0, 32)), ...integer(signature.subarray(32))]
    const raw = rawSignature('ecdsa-p256', Uint8Array.of(0x30, body.length, ...body))
    expect(raw).toEqual(signature)
    expect(raw && (await isSignatureOf(ecdsa.publicKey, payloadType, payload, raw))).toBe(true)
    expect(rawSignature('ecdsa-p256', Uint8Array.of(0x30, body.length, ...body, 0))).toBeNull()
    expect(rawSignature('ed25519', Uint8Array.of(0x30, body.length, ...body))).toBeNull()
  })
})
