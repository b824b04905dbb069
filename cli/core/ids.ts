import { is } from 'superstruct'
import { Id } from '../../contract/core/shapes'

export const isId = (text: string): boolean => is(text, Id)
