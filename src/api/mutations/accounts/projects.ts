import { mutationOptions } from '@tanstack/react-query'
import type { BodyOf } from '../../../../contract/core/endpoint'
import { type Project } from '../../../../contract/accounts/projects'
import {
  createOrganizationProject,
  createPersonalProject,
  deleteProject,
  type NewProject,
  transferProject,
  updateProject,
} from '../../../../contract/accounts/project-changes'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'
import { rereadStale } from '../renewed'

export const createProjectMutation = (api: Api, scope: string | null) =>
  mutationOptions({
    mutationFn: (input: Keyed<NewProject>) => {
      const options = { body: input.body, ...keyOf(input) }
      return scope === null
        ? api(createPersonalProject, {}, options)
        : api(createOrganizationProject, { organizationId: scope }, options)
    },
    onSuccess: (project, _input, _kept, { client }) => {
      client.setQueryData(['project', project.id], project)
      return client.invalidateQueries({ queryKey: ['projects'] })
    },
  })

export const updateProjectMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ project, body }: { project: Project; body: BodyOf<typeof updateProject> }) =>
      api(updateProject, { projectId: project.id }, { body, ifMatch: project.revision }),
    onSettled: (_done, error, { project }, _kept, { client }) => rereadStale(client, error, ['project', project.id]),
    onSuccess: (project, _input, _kept, { client }) => {
      client.setQueryData(['project', project.id], project)
      return client.invalidateQueries({ queryKey: ['projects'] })
    },
  })

type Transfer = { project: Project; organizationId: string | null; confirmName: string }

export const transferProjectMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ project, organizationId, confirmName }: Transfer) =>
      api(
        transferProject,
        { projectId: project.id },
        { body: { organization_id: organizationId, confirm_name: confirmName }, ifMatch: project.revision },
      ),
    onSettled: (_done, error, { project }, _kept, { client }) => rereadStale(client, error, ['project', project.id]),
    onSuccess: async (project, _input, _kept, { client }) => {
      client.setQueryData(['project', project.id], project)
      // The members, the plan and the permissions are those of the new owner.
      await Promise.all(
        ['projects', 'permissions', 'organization', 'members', 'audit'].map((name) =>
          client.invalidateQueries({ queryKey: [name] }),
        ),
      )
    },
  })

export const deleteProjectMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ project, confirmName }: { project: Project; confirmName: string }) =>
      api(deleteProject, { projectId: project.id }, { body: { confirm_name: confirmName }, ifMatch: project.revision }),
    onSettled: (_done, error, { project }, _kept, { client }) => rereadStale(client, error, ['project', project.id]),
    onSuccess: (_done, { project }, _kept, { client }) => {
      client.removeQueries({ queryKey: ['project', project.id] })
      return client.invalidateQueries({ queryKey: ['projects'] })
    },
  })
