import { describe, expect, it } from 'vitest'
import { readProof, requireAddress } from './proof'

const groupClaim = 'roles'
const claims = { iss: 'https://login.example.com', sub: '1', email: 'Mara@Example.com', email_verified: true }

const refusalOf = (changes: Record<string, unknown>, domains: string[] = []) => {
  try {
    requireAddress(readProof({ ...claims, ...changes }, { groupClaim }), { domains })
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

describe('the claims of an identity provider', () => {
  it.each<[unknown, string[] | null]>([
    [
      ['a', 'b', 7],
      ['a', 'b'],
    ],
    ['a', ['a']],
    [undefined, []],
    [{ a: true }, []],
  ])('name the groups %j', (given, groups) => {
    expect(readProof({ ...claims, roles: given }, { groupClaim }).proof.groups).toEqual(groups)
  })

  it('name no groups where the provider left them out because there are too many', () => {
    const elsewhere = { _claim_names: { roles: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example.com' } } }
    expect(readProof({ ...claims, ...elsewhere }, { groupClaim }).proof.groups).toBeNull()
    expect(readProof({ ...claims, _claim_names: { groups: 'src1' } }, { groupClaim }).proof.groups).toEqual([])
  })

  it.each<[Record<string, unknown>, string | undefined]>([
    [{}, undefined],
    [{ email_verified: 'true' }, undefined],
    [{ email_verified: undefined, xms_edov: true }, undefined],
    [{ email_verified: undefined, xms_edov: '1' }, undefined],
    [{ email_verified: undefined }, 'address_unverified'],
    [{ email_verified: false }, 'address_unverified'],
    [{ email_verified: 'false' }, 'address_unverified'],
    [{ email_verified: {} }, 'address_unverified'],
    [{ email: undefined }, 'address_missing'],
    [{ email: ['mara@example.com'] }, 'address_missing'],
    [{ email: 'mara@example.com, eve@example.com' }, 'address_missing'],
  ])('with %j: %s', (changes, code) => {
    expect(refusalOf(changes)).toBe(code)
  })

  it('name an address of a listed domain, without subdomains and look-alikes', () => {
    expect(refusalOf({}, ['example.org', 'example.com'])).toBeUndefined()
    for (const email of ['mara@sub.example.com', 'mara@notexample.com', 'mara@example.com.evil.example'])
      expect(refusalOf({ email }, ['example.com'])).toBe('address_not_allowed')
  })

  it('give a name only if it is one', () => {
    const nameOf = (name: unknown) => readProof({ ...claims, name }, { groupClaim }).proof.name
    expect([nameOf(' Mara Finch '), nameOf('a\u0000b'), nameOf('x'.repeat(201)), nameOf('\ud800'), nameOf(7)]).toEqual([
      'Mara Finch',
      '',
      '',
      '',
      '',
    ])
  })
})
