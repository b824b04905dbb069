import { vi } from 'vitest'
import { open } from 'node:fs/promises'
import { PutObjectCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { incomingOf } from '../../server/core/storage/directory-incoming'
import { openStorage } from '../../server/core/storage/open-storage'
import { createTestApi, type TestApi } from './api'
import { isFull } from './counts'

/** The storage that a suite runs on. */
type Store = {
  kind: 'directory' | 's3'
  /** Variables of a configuration with a new storage of this kind. */
  variables: () => Promise<Record<string, string>>
  /** Until the returned function is called, bytes are not stored durably. */
  failWrites: () => Promise<() => void>
}

const directory: Store = {
  kind: 'directory',
  variables: async () => ({}),
  failWrites: async () => {
    const file = await open('/dev/null')
    const handles = Object.getPrototypeOf(file) as typeof file
    await file.close()
    const failing = vi.spyOn(handles, 'sync').mockRejectedValue(new Error('EIO'))
    return () => failing.mockRestore()
  },
}

let store = directory

/** The storage under test: that of `runOnBucket`, or a directory. */
export const storeUnderTest = (): Store => store

/** Whether cases run that ask nothing else of a bucket than other cases do: there only in `npm run test:full`. */
export const runsEveryCase = (): boolean => store.kind === 'directory' || isFull

/** Suites that are loaded afterwards run on buckets with these variables. */
export const runOnBuckets = (variables: (name: string) => Promise<Record<string, string>>): void => {
  let count = 0
  store = {
    kind: 's3',
    variables: () => variables(`teasel-${++count}`),
    failWrites: async () => {
      const base = Object.getPrototypeOf(S3Client.prototype) as { send: (this: unknown, command: unknown) => unknown }
      const failing = vi.spyOn(S3Client.prototype, 'send').mockImplementation(function (this: unknown, command: unknown) {
        const isWrite = command instanceof UploadPartCommand || command instanceof PutObjectCommand
        return isWrite ? Promise.reject(new Error('EIO')) : base.send.call(this, command)
      })
      return () => failing.mockRestore()
    },
  }
}

/** An API with a new storage under test. */
export const createStoringApi = async (variables: Record<string, string> = {}): Promise<TestApi> => {
  const api = await createTestApi({ ...variables, ...(await store.variables()) })
  api.deps.storage = await openStorage(api.config.storage)
  return api
}

/** The ids of the uploads whose bytes are not in the storage yet. */
export const unfinishedIn = async ({ deps }: TestApi): Promise<string[]> => {
  const keys = []
  for await (const { key } of incomingOf(deps).list()) keys.push(key)
  return keys.toSorted()
}

export const storedIn = async ({ deps }: TestApi): Promise<string[]> => {
  const keys = []
  for await (const { key } of deps.storage.list?.() ?? []) keys.push(key)
  return keys.toSorted()
}
