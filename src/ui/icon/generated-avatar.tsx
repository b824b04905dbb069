import { lazy, memo, Suspense } from 'react'
import type { ComponentType } from 'react'
import { idle } from '../../lib/idle'

const colors = ['fern', 'iris', 'lagoon', 'moss', 'clay'].map((name) => `var(--colors-tag-${name}-mark)`)

/** The pattern loads after the first paint, over a background that is already there and is sufficient without it. */
const Pattern = lazy<ComponentType<{ variant: 'marble'; name: string; size: number; colors: string[] }>>(() =>
  idle()
    .then(() => import('boring-avatars'))
    .catch(() => ({ default: () => null })),
)

export const GeneratedAvatar = memo(({ seed }: { seed: string }) => (
  <Suspense fallback={null}>
    <i aria-hidden>
      <Pattern variant="marble" name={seed} size={26} colors={colors} />
    </i>
  </Suspense>
))
GeneratedAvatar.displayName = 'Marble'
