import { describe, expect, test } from 'vitest'
import { expected, play, told } from './behaviour/play'
import { charts } from './charts'

describe.each(charts)('$name', ({ model, behaviour }) => {
  test.each(behaviour.stories.map((story) => [story.title, story] as const))('%s', (_, story) => {
    expect(told(story, play(model, story))).toEqual(expected(story))
  })
})
