import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { deviceImportsQuery } from '../../../api/queries/fleet/device-imports'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { BackLink } from '../../../system/page/back'
import type { LoaderArgs } from '../../../system/scope/guard'
import { useSystem } from '../../../system/system'
import { Page, PageHead } from '../../../ui/layout/page'
import { PanelStack } from '../../../ui/layout/panel'
import { ImportFile } from './import-file'
import { ImportList } from './import-list'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/import')

/** Not awaited: the form is shown at once, and the imports later. */
export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchQuery(deviceImportsQuery(api, params.projectId))

/** Devices of a former hawkBit server with their tokens, and how many of them have arrived since. */
export default function ImportDevicesPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const { data: project } = useSuspenseQuery(projectQuery(api, params.projectId))
  const devices = (
    <BackLink to="/organizations/$organizationId/projects/$projectId/devices/list" params={params}>
      Devices
    </BackLink>
  )
  return (
    <Page>
      <PageHead title="Import Devices" crumbs={[devices, 'Import']} />
      <PanelStack>
        <ImportFile project={project} />
        <ImportList projectId={params.projectId} organizationId={params.organizationId} />
      </PanelStack>
    </Page>
  )
}
