/** Public keys whose private keys are printed in public documents: anyone who reads those can sign with them. */
const rawKeys = {
  // RFC 8032, 7.1: Ed25519 tests 1, 2 and 3.
  ed25519: [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
  ],
  // RFC 6979, A.2.5: P-256.
  'ecdsa-p256': [
    '0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299',
  ],
} as const

const known = new Set<string>(Object.values(rawKeys).flat())

export const isKnownTestKey = (publicKeyBase64: string): boolean =>
  known.has(Buffer.from(publicKeyBase64, 'base64').toString('hex'))
