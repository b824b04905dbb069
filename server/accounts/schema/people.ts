import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { Plan } from '../../../contract/accounts/plans'
import { bytes, entity, moment } from '../../core/database/schema/columns'

export const users = pgTable(
  'users',
  {
    ...entity,
    email: text('email').notNull(),
    fullName: text('full_name').notNull().default(''),
    imageUrl: text('image_url'),
    pricingPlan: text('pricing_plan').$type<Plan>().notNull().default('developer'),
    featureChannel: text('feature_channel').$type<'stable' | 'experimental'>().notNull().default('stable'),
    mfaEnabled: boolean('mfa_enabled').notNull().default(false),
    lastSignInAt: moment('last_sign_in_at'),
  },
  (table) => [uniqueIndex('users_email').on(sql`lower(${table.email})`)],
)

const userId = () =>
  text('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

export const credentials = pgTable('credentials', {
  userId: userId().primaryKey(),
  passwordHash: text('password_hash').notNull(),
  changedAt: moment('changed_at').notNull(),
})

/** An account of an identity provider with which a person signs in. */
export const identities = pgTable(
  'identities',
  {
    id: text('id').primaryKey(),
    userId: userId(),
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    /** The address that the provider gave at the last sign-in. */
    email: text('email').notNull(),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at').notNull(),
  },
  (table) => [
    uniqueIndex('identities_subject').on(table.issuer, table.subject),
    uniqueIndex('identities_user').on(table.userId, table.issuer),
  ],
)

/** What an identity provider has said of the person who signs in. `groups` is null if it does not say. */
export type IdentityProof = {
  issuer: string
  subject: string
  /** The session at the provider (`sid`). */
  session: string | null
  email: string
  name: string
  groups: string[] | null
}

/** A browser on its way to the identity provider and back; single use. */
export const identityRequests = pgTable('identity_requests', {
  stateHash: text('state_hash').primaryKey(),
  browserHash: text('browser_hash').notNull(),
  nonce: text('nonce').notNull(),
  verifier: text('verifier').notNull(),
  /** Where the person continues, as the query of the sign-in page. */
  asked: jsonb('asked').$type<Record<string, string>>().notNull(),
  expiresAt: moment('expires_at').notNull(),
})

/** A browser that came back from the identity provider with the address of an existing account, which it has not proven yet. */
export const identityLinks = pgTable('identity_links', {
  tokenHash: text('token_hash').primaryKey(),
  userId: userId(),
  proof: jsonb('proof').$type<IdentityProof>().notNull(),
  /** Of the mailed code. */
  codeHash: text('code_hash'),
  expiresAt: moment('expires_at').notNull(),
})

/** Logout tokens of the identity provider that were used. */
export const logoutTokens = pgTable('logout_tokens', {
  tokenHash: text('token_hash').primaryKey(),
  expiresAt: moment('expires_at').notNull(),
})

/** A browser that is signed in at the sign-in host (its cookie); sessions of the console are created from it. */
export const signIns = pgTable(
  'sign_ins',
  {
    id: text('id').primaryKey(),
    userId: userId(),
    tokenHash: text('token_hash').notNull(),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    endedAt: moment('ended_at'),
    /** The account of the identity provider that signed in, and its session there. */
    identityId: text('identity_id').references(() => identities.id, { onDelete: 'set null' }),
    providerSession: text('provider_session'),
  },
  (table) => [
    uniqueIndex('sign_ins_token').on(table.tokenHash),
    index('sign_ins_user').on(table.userId),
    index('sign_ins_identity').on(table.identityId),
    index('sign_ins_expiry').on(table.expiresAt),
  ],
)

const signInId = () => text('sign_in_id').references(() => signIns.id, { onDelete: 'cascade' })

export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    userId: userId(),
    signInId: signInId(),
    tokenHash: text('token_hash').notNull(),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    endedAt: moment('ended_at'),
    ip: text('ip'),
    userAgent: text('user_agent'),
  },
  (table) => [
    uniqueIndex('sessions_token').on(table.tokenHash),
    index('sessions_user').on(table.userId),
    index('sessions_created').on(table.createdAt),
    index('sessions_sign_in').on(table.signInId),
    index('sessions_expiry').on(table.expiresAt),
  ],
)

/** Single use, valid for 60 s, bound to the PKCE challenge. */
export const signInCodes = pgTable('sign_in_codes', {
  codeHash: text('code_hash').primaryKey(),
  userId: userId(),
  signInId: signInId(),
  challenge: text('challenge').notNull(),
  redirectUri: text('redirect_uri').notNull(),
  expiresAt: moment('expires_at').notNull(),
  usedAt: moment('used_at'),
  sessionId: text('session_id'),
})

/**
 * A sign-up whose mailed link was not opened yet (T-13: the form does not reveal who has an account). The password is chosen
 * behind that link, so that nobody can choose it for an address that is not theirs.
 */
export const registrations = pgTable('registrations', {
  tokenHash: text('token_hash').primaryKey(),
  email: text('email').notNull(),
  fullName: text('full_name').notNull(),
  expiresAt: moment('expires_at').notNull(),
})

export const passwordResets = pgTable(
  'password_resets',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: userId(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (table) => [index('password_resets_user').on(table.userId)],
)

/** A change of the address that waits for the links mailed to both: one of a person, which a later request replaces. */
export const emailChanges = pgTable(
  'email_changes',
  {
    userId: userId().primaryKey(),
    /** The address at the time of the request. */
    oldEmail: text('old_email').notNull(),
    newEmail: text('new_email').notNull(),
    oldHash: text('old_hash').notNull(),
    newHash: text('new_hash').notNull(),
    oldConfirmedAt: moment('old_confirmed_at'),
    newConfirmedAt: moment('new_confirmed_at'),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [uniqueIndex('email_changes_old').on(table.oldHash), uniqueIndex('email_changes_new').on(table.newHash)],
)

/** The secret of an authenticator app, encrypted; disabled until a code has confirmed it. */
export const secondFactors = pgTable('second_factors', {
  userId: userId().primaryKey(),
  sealedSecret: text('sealed_secret').notNull(),
  createdAt: moment('created_at').notNull(),
  enabledAt: moment('enabled_at'),
  /** The time step of the last accepted code: it and all earlier ones are used up. */
  lastStep: integer('last_step').notNull().default(0),
})

/** 80 random bits each, hashed. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  { userId: userId(), codeHash: text('code_hash').notNull(), usedAt: moment('used_at') },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
)

/** Browsers with a correct password, or a proof of the identity provider, whose second factor is still missing. */
export const signInSteps = pgTable('sign_in_steps', {
  tokenHash: text('token_hash').primaryKey(),
  userId: userId(),
  identity: jsonb('identity').$type<IdentityProof>(),
  expiresAt: moment('expires_at').notNull(),
})

/** One small picture of a person, under a key that nobody can guess. */
export const avatars = pgTable(
  'avatars',
  {
    userId: userId().primaryKey(),
    key: text('key').notNull(),
    type: text('type').notNull(),
    bytes: bytes('bytes').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [uniqueIndex('avatars_key').on(table.key)],
)

export const interstitials = pgTable(
  'interstitials',
  { userId: userId(), interstitialId: text('interstitial_id').notNull(), seenAt: moment('seen_at').notNull() },
  (table) => [primaryKey({ columns: [table.userId, table.interstitialId] })],
)

const answer = (name: string) => text(name).notNull().default('')

export const profiles = pgTable('profiles', {
  userId: userId().primaryKey(),
  updatedAt: moment('updated_at').notNull(),
  firstName: answer('first_name'),
  lastName: answer('last_name'),
  companyName: answer('company_name'),
  linkedinUrl: answer('linkedin_url'),
  city: answer('city'),
  country: answer('country'),
  role: answer('role'),
  platformApplications: answer('platform_applications'),
})
