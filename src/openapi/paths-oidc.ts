// Operations of signing in at a provider.
import { call, type Group, operations } from './operations.ts'
import {
  empty,
  failures,
  json,
  jsonBody,
  object,
  query,
  ref,
  required,
  sends,
  status,
  text,
} from './shorthands.ts'

const PROVIDER: Group = { tag: 'Provider' }
const GO_ON = [query('redirect', 'Address of the interface to go on at; `/files/` when absent.')]
const ELSEWHERE = empty('To the provider, or back to the interface with `error`.', {
  Location: sends('Where the browser goes on.'),
})

export const OIDC_PATHS = operations(PROVIDER, {
  'GET /api/oidc': call('readProvider', 'What is to be entered at it, for administrators', {
    answers: { 200: json(ref('Provider')), ...failures(403, 404) },
  }),
  'GET /api/oidc/login': call('signInAtProvider', 'Sign in there', {
    access: 'everybody',
    parameters: GO_ON,
    answers: { 303: ELSEWHERE, ...failures(404) },
  }),
  'GET /api/oidc/connect': call('connectAtProvider', 'Let somebody there open one’s account', {
    description: 'In a session that was confirmed within ten minutes.',
    parameters: GO_ON,
    answers: { 303: ELSEWHERE, ...failures(400, 403, 404) },
  }),
  'GET /api/oidc/confirm': call('confirmAtProvider', 'Prove again who one is', {
    description: 'By signing in there anew; counts like `POST /api/confirm`.',
    parameters: GO_ON,
    answers: { 303: ELSEWHERE, ...failures(403, 404) },
  }),
  'GET /api/oidc/callback': call(
    'returnFromProvider',
    'Where the provider sends the browser back',
    {
      access: 'everybody',
      parameters: [required(query('state', 'Of the attempt.')), query('code', 'Of the provider.')],
      answers: { 303: ELSEWHERE, ...failures(404) },
    },
  ),
  'GET /api/oidc/identity': call('readIdentity', 'Who one is there', {
    answers: { 200: json(ref('OwnIdentity')), ...failures(403, 404) },
  }),
  'DELETE /api/oidc/identity': call('removeIdentity', 'Let nobody there open the account', {
    body: jsonBody(object({ 'current_password?': text() })),
    answers: { 204: empty('Disconnected.'), ...failures(400, 403, 404, 409) },
  }),
  'POST /api/oidc/backchannel-logout': call('endByProvider', 'Somebody has signed out there', {
    description: 'For the provider (OpenID Connect Back-Channel Logout 1.0).',
    access: 'everybody',
    body: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': { schema: object({ logout_token: text() }) },
      },
    },
    answers: { 200: status('The sessions have ended.'), ...failures(400, 404) },
  }),
})
