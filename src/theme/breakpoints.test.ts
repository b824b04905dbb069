import { expect, it } from 'vitest'
import config from '../../panda.config'

it('§9: the layout has these six breakpoints', () =>
  expect(Object.values(config.theme?.breakpoints ?? {})).toEqual(['320px', '640px', '768px', '1024px', '1280px', '1536px']))
