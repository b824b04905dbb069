import { describe, expect, test } from 'vitest'
import { expected, play, playStory } from './behaviour/play'
import { charts } from './charts'

describe.each(charts)('$name', ({ model, behaviour }) => {
  test.each(behaviour.stories.map((story) => [story.title, story] as const))('%s', (_, story) => {
    expect(playStory(story, play(model, story))).toEqual(expected(story))
  })
})
