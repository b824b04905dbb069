import type { Invoice } from '../../../contract/accounts/subscriptions'
import { Status } from '../../ui/text/chip'
import * as Table from '../../ui/list/table'
import { TextLink } from '../../ui/text/text-link'
import { DateTime } from '../../ui/text/time'
import { formatMoney } from './subscription-text'

const looks = {
  paid: { shape: 'success', word: 'Paid' },
  open: { shape: 'waiting', word: 'Open' },
  failed: { shape: 'error', word: 'Payment failed' },
} as const

export const Invoices = ({ invoices }: { invoices: readonly Invoice[] }) => (
  <Table.Root caption="Invoices" auto scroll stack>
    <Table.Head>
      <Table.Th>Invoice</Table.Th>
      <Table.Th>Date</Table.Th>
      <Table.Th>State</Table.Th>
      <Table.Th align="end">Amount</Table.Th>
    </Table.Head>
    <Table.Body>
      {invoices.map(({ number, date, state, amount_minor: amount, currency, url }) => (
        <Table.Row key={number}>
          <Table.Cell mono at="lead">
            {url === null ? (
              number
            ) : (
              <TextLink href={url} external>
                {number}
              </TextLink>
            )}
          </Table.Cell>
          <Table.Cell quiet at="sub">
            <DateTime value={date} />
          </Table.Cell>
          <Table.Cell at="end">
            <Status shape={looks[state].shape}>{looks[state].word}</Status>
          </Table.Cell>
          <Table.Cell align="end" at="subEnd">
            {formatMoney(amount, currency)}
          </Table.Cell>
        </Table.Row>
      ))}
    </Table.Body>
  </Table.Root>
)
