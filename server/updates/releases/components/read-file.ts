import { type ComponentFacts, sbomLimits } from '../../../../contract/updates/components'
import type { Reader } from '../../../core/reading/protocol'
import { type ByteReader, maxReadBytes } from '../../../core/storage/stored-bytes'
import type { SbomNote } from './fields'
import { parseSbom, type ReadSbom, RefusedSbom } from './parse'

/** What a thread found in the file; its components are passed on in pieces. */
export type SbomFacts = { refused: SbomNote } | { refused: null; read: Omit<ReadSbom, 'components'> }

/** So many components the thread that answers requests takes at once. */
const atOnce = 500

const readWhole = async (file: ByteReader): Promise<Buffer> => {
  const whole = Buffer.alloc(file.size)
  for (let at = 0; at < file.size;) {
    const part = await file.read(at, Math.min(maxReadBytes, file.size - at))
    if (part.length === 0) return whole.subarray(0, at)
    at += part.copy(whole, at)
  }
  return whole
}

/** Reads one SBOM in a thread. */
export const readSbomFile: Reader<undefined, SbomFacts, ComponentFacts[]> = async (_, { files: [file], emit }) => {
  if (!file || file.size > sbomLimits.bytes) throw new Error('There is no file of this size')
  try {
    const { components, ...read } = parseSbom(await readWhole(file))
    for (let from = 0; from < components.length; from += atOnce) await emit(components.slice(from, from + atOnce))
    return { refused: null, read }
  } catch (error) {
    if (error instanceof RefusedSbom) return { refused: error.problem }
    throw error
  }
}
