import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { Plan } from '../../../contract/plans'
import type { Invoice, SubscriptionState } from '../../../contract/subscriptions'
import { entity, moment } from '../../core/database/schema/columns'
import { organizations } from './organizations'
import { users } from './people'

/** The state of a subscription, known from the billing provider's events only. An account has at most one row. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    ...entity,
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    organizationId: text('organization_id').references(() => organizations.id, { onDelete: 'cascade' }),
    customerId: text('customer_id').notNull(),
    /** The provider's id; an account that subscribes again after an end gets another one. */
    providerId: text('provider_id').notNull(),
    plan: text('plan').$type<Plan>().notNull(),
    state: text('state').$type<SubscriptionState>().notNull(),
    priceId: text('price_id').notNull(),
    quantity: integer('quantity').notNull(),
    currentPeriodEnd: moment('current_period_end'),
    cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull(),
    paymentMethod: jsonb('payment_method').$type<{ brand: string; last4: string } | null>(),
    invoices: jsonb('invoices').$type<Invoice[]>().notNull(),
    /** When the newest applied event happened; older events are not applied any more. */
    happenedAt: moment('happened_at').notNull(),
  },
  (table) => [
    uniqueIndex('subscriptions_user').on(table.userId),
    uniqueIndex('subscriptions_organization').on(table.organizationId),
    index('subscriptions_provider').on(table.providerId),
  ],
)

/** Each event is applied once, however often it is delivered. */
export const billingEvents = pgTable('billing_events', {
  id: text('id').primaryKey(),
  type: text('type').notNull(),
  happenedAt: moment('happened_at').notNull(),
  receivedAt: moment('received_at').notNull(),
})
