import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fromBase64 } from '../../../contract/device/bytes'
import { isSignatureOf, preAuthentication, rawSignature } from '../../../contract/device/dsse'
import { payloadType } from '../../../contract/device/manifest'
import { publicKeyFromPem } from '../../../contract/device/public-key'
import { fileToSign, opensslCommand, signedFileName } from './openssl-command'

const file = signedFileName('manifest', 'Gateway $(reboot) "x"', '1.3.0')

it('the files of two releases have names of their own, which are safe in a command', () => {
  expect(file).toBe('manifest-Gateway-reboot-x-1.3.0')
  expect(signedFileName('manifest', 'Gateway', 'v7')).toBe('manifest-Gateway-v7')
  expect(signedFileName('manifest', 'Шлюз', '1.3.0')).toBe('manifest-1.3.0')
  expect(signedFileName('key-list', 4)).toBe('key-list-4')
})

// OpenSSL 3 is the first version that signs Ed25519 from a file.
const hasOpenssl = /^OpenSSL [3-9]/.test(spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '')

it.skipIf(!hasOpenssl).each(['ed25519', 'ecdsa-p256'] as const)(
  'the openssl command for a key of %s prints a signature that devices accept',
  async (algorithm) => {
    const directory = mkdtempSync(join(tmpdir(), 'teasel-openssl-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const pair = algorithm === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const payload = new TextEncoder().encode('{"version":"2.6.0"}')
    writeFileSync(join(directory, 'release.key.pem'), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(join(directory, fileToSign(file)), preAuthentication(payloadType, payload))
    const printed = execFileSync('sh', ['-c', opensslCommand(algorithm, file)], { cwd: directory, encoding: 'utf8' })
    const key = await publicKeyFromPem(pair.publicKey.export({ type: 'spki', format: 'pem' }).toString())
    const signature = rawSignature(algorithm, fromBase64(printed) ?? new Uint8Array())
    expect(key && signature && (await isSignatureOf(key, payloadType, payload, signature))).toBe(true)
  },
)
