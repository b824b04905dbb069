import { formatCount } from '../../lib/amounts'
import { Button } from '../../ui/button'
import * as Drawer from '../../ui/drawer'
import { type Facet, FacetList } from '../../ui/facets'

type Props = {
  facets: readonly Facet[]
  count: number
  onChoose: (field: string, value: string) => void
  onClear: () => void
  open: boolean
  onOpenChange: (open: boolean) => void
}

export const FilterPanel = ({ facets, count, onChoose, onClear, open, onOpenChange }: Props) => (
  <Drawer.Root open={open} onOpenChange={(change) => onOpenChange(change.open)}>
    <Drawer.Panel
      title="Filters"
      footer={
        <>
          <Button variant="primary" onClick={() => onOpenChange(false)}>
            Show devices
          </Button>
          {count > 0 && <Button onClick={onClear}>Clear filters</Button>}
        </>
      }
    >
      <FacetList facets={facets} onChoose={onChoose} format={formatCount} />
    </Drawer.Panel>
  </Drawer.Root>
)
