import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { projectQuery } from '../../api/queries/accounts/projects'
import { useSystem } from '../../system/system'
import { Page, PageHead } from '../../ui/layout/page'
import { tabClass, TabLinks } from '../../ui/layout/tab-links'
import { useManageRefusal } from './member-scope'

const place = '/organizations/$organizationId/projects/$projectId/members' as const

/** The name of the project in the route. */
export const useProjectName = (): string => {
  const { api } = useSystem()
  const { projectId = '' } = useParams({ strict: false })
  return useQuery(projectQuery(api, projectId)).data?.name ?? 'the project'
}

/** The two tabs of a personal project: members and invites. */
export const ProjectPeople = ({ children }: { children: ReactNode }) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const refused = useManageRefusal()
  const params = { organizationId, projectId }
  return (
    <Page>
      <PageHead title="Members" />
      <TabLinks label="Members">
        <Link to={`${place}/list`} params={params} className={tabClass()}>
          Members
        </Link>
        {refused === undefined && (
          <Link to={`${place}/invites`} params={params} className={tabClass()}>
            Invites
          </Link>
        )}
      </TabLinks>
      {children}
    </Page>
  )
}
