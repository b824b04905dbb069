import type { FoundPrivateKey } from './formats/private-keys'

export const privateKeyText = ({ form, offset }: Pick<FoundPrivateKey, 'form' | 'offset'>): string =>
  `The file contains ${form} at byte ${offset}. Its bytes were deleted: keep private keys off this server`
