import { createFileRoute } from '@tanstack/react-router'
import { array, boolean, enums, mask, number, optional, string, type } from 'superstruct'
import { lazyLoader, lazyPage } from '../../../../../../../../system/page/lazy'

/** The choices of the quick dialog. `again`: the rollout whose failed devices are meant. */
const Search = type({
  climb: optional(enums(['careful', 'quick', 'once'])),
  soak: optional(number()),
  tags: optional(array(string())),
  again: optional(string()),
  untrusting: optional(boolean()),
})

const page = () => import('../../../../../../../../features/releases/rollouts/plan-form/rollout-plan-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId_/rollout')({
  staticData: { needs: ['project:manage_releases'], label: 'Start rollout' },
  validateSearch: (search) => (Search.is(search) ? mask(search, Search) : {}),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
