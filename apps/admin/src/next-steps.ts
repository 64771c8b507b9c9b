/**
 * What to do after each command, for people at a terminal. `{merchant}` is the value of an option or of a field of the document.
 */
export const nextSteps: Record<string, string> = {
  'merchant create':
    'Keep the secrets: they are not shown again. "merchant invite --merchant {merchantId}" lets its owner into the console.',
  'merchant list':
    '"merchant show --merchant …" shows one. "merchant find" finds the one of a URL, a key, an order or an address.',
  'merchant find': '"merchant show --merchant …" shows one.',
  'merchant show':
    '"webhook list --merchant {merchant}" lists its webhooks, "problem list --merchant {merchant}" what is wrong.',
  'merchant update':
    'Processes use the new values within seconds. "merchant show --merchant {merchant}" shows them.',
  'merchant pause':
    'Requests are refused within seconds. "merchant resume --merchant {merchant}" ends the pause.',
  'merchant resume':
    'Requests are accepted again, and what waited is sent, within seconds. "doctor" shows what still waits.',
  'merchant identity-secret': "Keep it on the merchant's server. It is the key of user_hash.",
  'merchant replace-identity-secret': "Give the new secret to the merchant's server before formerExpireAt.",
  'merchant invite': 'Give the link to the owner of the address only. It is not shown again.',
  'merchant wipe-live':
    '"merchant show --merchant {merchantId}" has wipeRequestedAt until the rows are deleted. Tell the merchant the new id.',
  'merchant wipe-test':
    '"merchant show --merchant {merchantId}" has wipeRequestedAt until the rows are deleted. Use the new id.',
  'origin verify': '"merchant update --merchant {merchant} --landing-url …" can use it now.',
  'origin list': '"origin verify --merchant {merchant} --origin …" adds one.',
  'user reset-password': 'Give the link to the owner of the address only. It is not shown again.',
  'user unlock':
    'The user can sign in again now. "user reset-password" makes a link if the password is lost.',
  'key create': 'Keep the key: it is not shown again. "key revoke" ends the one that it replaces.',
  'key revoke': 'It stops working within seconds. "key create --merchant {merchant}" makes another.',
  'key list': '"key revoke --merchant {merchant} --key …" ends one, "key create" makes one.',
  'webhook add': '"webhook test --merchant {merchant} --webhook {webhookId}" sends a test event.',
  'webhook list': '"webhook test --merchant {merchant} --webhook …" sends a test event to one.',
  'webhook find': '"merchant show --merchant …" shows whose it is, "webhook list --merchant …" its health.',
  'webhook delete':
    'Rewards that are confirmed from now on need another webhook: "webhook add --merchant {merchant}".',
  'webhook enable':
    'What was held is sent. "delivery list --merchant {merchant} --state pending" shows what still waits.',
  'webhook pause': '"webhook resume --merchant {merchant} --webhook {webhook}" sends what is held.',
  'webhook resume':
    'What was held is sent. "delivery list --merchant {merchant} --state pending" shows what still waits.',
  'webhook set': 'It applies to the next attempts. "webhook list --merchant {merchant}" shows it.',
  'webhook send-earlier-rewards':
    '"delivery list --merchant {merchant}" shows what was sent. Its receiver grants each delivery id once.',
  'webhook test':
    '"delivery show --merchant {merchant} --delivery {deliveryId}" shows the request and the response.',
  'signing-key show':
    '"signing-key rotate --merchant {merchant}" makes a new one. Whoever has seen a key can sign.',
  'signing-key rotate': 'Give the new key to the receiver before promotedAt.',
  'signing-key delete':
    'Webhooks have no signature now. "signing-key rotate --merchant {merchant}" makes a key.',
  'problem list':
    '"merchant show" and "webhook list" show the subject; docs/operations/watch.md#problems says what each kind means.',
  'problem acknowledge': 'It does not make doctor unclean until then. "problem list" still shows it.',
  'audit list': '"--request" and "--actor" find what belongs together.',
  'secrets status': '"secrets rotate" encrypts what still has an old key.',
  'secrets rotate': '"secrets status" shows whether the old key is still needed.',
  'member link': '"member show --merchant {merchant} --member …" shows both links of a member.',
  'member move-link':
    '"order explain --merchant {merchant} --order …" says what an order of the referee earns since.',
  'member show': '"order explain --merchant {merchant} --order …" says why an order earned what it did.',
  'member merge':
    '"member show --merchant {merchant} --member …" shows the member, also by a former id. Their orders are evaluated again.',
  'member erase':
    'Tell the merchant to erase the member too. After a restore of a backup, erase the member again.',
  'referral list': '"referral accept" and "referral reject" review one.',
  'referral accept': 'Its pending rewards are confirmed when their hold has ended.',
  'referral reject': 'Its pending rewards are cancelled by the next evaluation.',
  'program show':
    '"program simulate --merchant {merchant} --program …" says what other rules would have given.',
  'program publish':
    'It applies to orders that have earned nothing yet. "program show --merchant {merchant}" shows it.',
  'program simulate': '"program publish --merchant {merchant} --program …" publishes the rule.',
  'reward grant': '"order explain --merchant {merchant} --order …" shows it with its event.',
  'reward adjust': '"order explain --merchant {merchant} --order …" shows both amounts with their events.',
  'reward revoke': '"reward grant" gives another one; no rule does.',
  'reward export': 'The file has ids of members: keep it as safe as the database.',
  'order show': '"order explain --merchant {merchant} --order {order}" says why it earned what it did.',
  'order explain': '"delivery list --merchant {merchant}" shows what was sent.',
  'delivery list':
    '"delivery show --merchant {merchant} --delivery …" shows the attempts of one, "delivery retry" sends it again.',
  'delivery show': '"delivery retry --merchant {merchant} --delivery {delivery}" sends it again now.',
  'delivery retry': '"delivery show --merchant {merchant} --delivery {delivery}" shows the attempt.',
  'replay create': '"replay list --merchant {merchant}" shows its progress.',
  'replay list': '"replay pause" and "replay cancel" stop one.',
  'replay show': '"replay pause" and "replay cancel" stop it.',
  'replay pause': '"replay resume --merchant {merchant} --replay {replay}" goes on.',
  'replay resume': '"replay show --merchant {merchant} --replay {replay}" shows its progress.',
  'replay cancel': 'What is due already is sent. "replay create" begins another.',
  'evaluation retry': '"doctor" shows whether they are parked again.',
  'figures rebuild':
    'Rows that were wrong, without an outage or a restore, are a defect: report it with the counts.',
  'queue list': '"queue parked" shows jobs that failed repeatedly.',
  'queue parked': '"queue retry" runs them again after the cause is fixed.',
  'queue retry': '"queue parked" shows whether they failed again.',
  'queue remove': 'Of "sync": ask the merchants of jobsRemoved to send their orders again.',
  'installation show': '"installation adopt" gives the queues to this database.',
  'installation adopt': 'Restart the processes, then run "doctor".',
  'retention show': '"retention prune --dry-run" shows what would be deleted now.',
  'retention prune': '"retention show" shows the sizes.',
  doctor: 'Each fault has a runbook in docs/runbooks. "problem list" shows what merchants are told.',
};
