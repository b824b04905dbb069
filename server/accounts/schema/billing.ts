import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { Plan } from '../../../contract/accounts/plans'
import type { Invoice, SubscriptionState } from '../../../contract/accounts/subscriptions'
import { entity, moment } from '../../core/database/schema/columns'
import { organizations } from './organizations'
import { users } from './people'

/** The state of each subscription of an account, known from the billing provider's events only. */
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
    /** At the provider. */
    startedAt: moment('started_at').notNull(),
    /** When the newest applied event happened; older events are not applied any more. */
    happenedAt: moment('happened_at').notNull(),
    /** The provider's times are whole seconds: type and id order the events of one second. */
    eventType: text('event_type').notNull().default(''),
    eventId: text('event_id').notNull().default(''),
    /** The one that decides the plan. The others are kept, so that a late event of them does not count as news. */
    isCurrent: boolean('is_current').notNull().default(true),
  },
  (table) => [
    uniqueIndex('subscriptions_user')
      .on(table.userId)
      .where(sql`${table.isCurrent}`),
    uniqueIndex('subscriptions_organization')
      .on(table.organizationId)
      .where(sql`${table.isCurrent}`),
    index('subscriptions_all_of_user').on(table.userId),
    index('subscriptions_all_of_organization').on(table.organizationId),
    index('subscriptions_provider').on(table.providerId),
  ],
)

/** Each event is applied once, however often it is delivered. */
export const billingEvents = pgTable(
  'billing_events',
  {
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    happenedAt: moment('happened_at').notNull(),
    receivedAt: moment('received_at').notNull(),
    /** The provider's id of the subscription that an early invoice belongs to. Both are null once it is known. */
    waitsFor: text('waits_for'),
    object: jsonb('object').$type<unknown>(),
  },
  (table) => [
    index('billing_events_received').on(table.receivedAt),
    index('billing_events_waiting')
      .on(table.waitsFor)
      .where(sql`${table.waitsFor} is not null`),
  ],
)
