import { is } from 'superstruct'
import { Id } from '../../contract/shapes'

export const isId = (text: string): boolean => is(text, Id)
