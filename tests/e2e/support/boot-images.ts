import { createHash, generateKeyPairSync, sign } from 'node:crypto'

const tlv = (type: number, value: Buffer) => {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(type, 0)
  head.writeUInt16LE(value.length, 2)
  return Buffer.concat([head, value])
}

/**
 * A boot loader and an application as MCUboot defines them (boot/bootutil/include/bootutil/image.h): header, body, and a TLV area
 * with the hash, the hash of the key and an ECDSA signature. The boot loader contains the public key.
 */
export const makeMcubootFiles = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const body = Buffer.alloc(4096, 'application')
  const header = Buffer.alloc(32)
  header.writeUInt32LE(0x96_f3_b8_3d, 0)
  header.writeUInt16LE(header.length, 8)
  header.writeUInt32LE(body.length, 12)
  header.writeUInt8(2, 20)
  header.writeUInt8(4, 21)
  const signed = Buffer.concat([header, body])
  const entries = Buffer.concat([
    tlv(0x10, createHash('sha256').update(signed).digest()),
    tlv(0x01, createHash('sha256').update(spki).digest()),
    tlv(0x22, sign('sha256', signed, privateKey)),
  ])
  const info = Buffer.alloc(4)
  info.writeUInt16LE(0x69_07, 0)
  info.writeUInt16LE(info.length + entries.length, 2)
  return {
    bootLoader: Buffer.concat([Buffer.alloc(1024, 'boot loader'), spki, Buffer.alloc(512)]),
    application: Buffer.concat([signed, info, entries]),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string, // a PEM is text
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    keyHash: createHash('sha256').update(spki).digest('hex'),
  }
}
