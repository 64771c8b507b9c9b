import {
  checks,
  conditionOf,
  failedCheck,
  reasons,
  textParameters,
  type Check,
  type OrderExplanation,
  type ReasonCode,
  type TimelineEntry,
} from '@rewardhook/rewards';
import { fillText } from '@rewardhook/certify';
import { printable, wrap, type Terminal } from '../output/terminal.ts';

/** Writes the explanation of an order for people. */
export function printExplanation(explanation: OrderExplanation, terminal: Terminal): void {
  const { out, style, width } = terminal;
  const { decision, today, stored_decision: stored, referral, counterfactual } = explanation;
  const earned = reasons[decision.reason as ReasonCode]?.result === 'reward';

  // Ids can have line breaks, with which a member could write lines of their own.
  const [orderId, memberId] = [printable(explanation.order_id), printable(explanation.member_id)];
  out(`${style.bold(`Order ${orderId}`)} of member ${memberId}`);
  if (explanation.sent_member_id)
    out(
      `It was sent with the id ${printable(explanation.sent_member_id)}, which means this member since a merge.`,
    );
  out(
    referral
      ? `Referred by ${printable(referral.referrer_member_id)}, linked ${timeOf(referral.linked_at)}${reviewOf(referral.review)}`
      : 'The member was not referred by anyone.',
  );
  if (explanation.similar_members.length > 0)
    out(
      style.warn(
        wrap(
          `Referred members with a similar id: ${explanation.similar_members.map((id) => printable(id)).join(', ')}. Ids must be equal to the character.`,
          width,
          0,
        ),
      ),
    );
  out('');
  const mark = earned ? style.good('✓') : style.bad('✗');
  out(
    `${mark} ${style.bold(wrap(sentenceOf(decision), width - 2, 2))}  ${style.dim(`(${decision.reason})`)}`,
  );
  out(
    style.dim(
      stored
        ? `  Decided ${timeOf(stored.decided_at)} under version ${stored.program_version} of the program.`
        : explanation.referral || explanation.waits_for_evaluation
          ? `  Not decided yet. Version ${today.program.version} of the program would decide this now.`
          : '  Orders are evaluated once their member has a referrer.',
    ),
  );
  if (explanation.waits_for_evaluation) out(style.warn('  A newer state of the order waits for evaluation.'));
  if (explanation.evaluation_failed_since)
    out(
      style.warn(
        `  Its evaluation has failed since ${timeOf(explanation.evaluation_failed_since)}. The operator is notified.`,
      ),
    );

  if (decision.checks.length > 0) {
    out(`\n${style.bold('Checks')}`);
    for (const check of decision.checks) out(describeCheck(check, terminal));
  }
  if (stored && today.reason !== decision.reason) {
    out(`\n${style.bold('Today')}`);
    out(
      `  ${wrap(sentenceOf(today), width - 2, 2)} ${style.dim(`(${today.reason}, version ${today.program.version})`)}`,
    );
  }
  if (counterfactual) {
    out(`\n${style.bold('What would have to be different')}`);
    out(`  ${wrap(printable(counterfactual, 2_000), width - 2, 2)}`);
  }
  if (explanation.timeline.length > 0) {
    out(`\n${style.bold('Timeline')}`);
    for (const entry of explanation.timeline)
      out(`  ${style.dim(timeOf(entry.at))}  ${describeEntry(entry)}`);
  }
}

const reviewOf = (review: string): string => (review === 'none' ? '' : `, review: ${review}`);

/** The sentence of a reason, with the parameters of the check that failed. */
function sentenceOf({ reason, checks: made }: { reason: string; checks: Check[] }): string {
  const definition = reasons[reason as ReasonCode];
  if (!definition) return reason;
  const failed = failedCheck(made);
  const condition = failed && failed.check in checks && conditionOf(failed);
  return fillText(definition.sentence, condition ? parametersOf(condition) : {});
}

function parametersOf(condition: Parameters<typeof textParameters>[0]): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(textParameters(condition)).map(([name, value]) => [name, printable(String(value))]),
  );
}

function describeCheck({ check, passed, value, threshold }: Check, { style }: Terminal): string {
  const label = check in checks ? checks[check].label : check;
  const details = [
    // That a check passed or not says all about a value of yes or no.
    value !== null && typeof value !== 'boolean' && show(value),
    threshold !== null && `required: ${show(threshold)}`,
  ].filter(Boolean);
  return `  ${passed ? style.good('✓') : style.bad('✗')} ${label.padEnd(30)} ${style.dim(details.join(', '))}`.trimEnd();
}

function show(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en');
  return /^\d{4}-\d\d-\d\dT/.test(value) ? timeOf(value) : printable(value);
}

/** `2026-11-21 10:00:06 GMT+9`, in the time zone of this machine. */
function timeOf(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return printable(at);
  const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' })
    .formatToParts(date)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return `${date.toLocaleString('sv-SE')} ${zone}`;
}

const entries = new Map<string, (entry: Record<string, string>) => string>(
  Object.entries({
    version_received: ({ version }) => `received, version ${version}`,
    version_dropped: ({ version, stored_time: time, stored_time_of: of }) =>
      `version ${version} dropped: its updated_at is before the ${of === 'acceptance' ? 'acceptance' : 'updated_at'} ` +
      `of the stored state, ${timeOf(String(time))}`,
    member_linked: ({ referrer_member_id: referrer }) => `member linked to ${referrer}`,
    link_moved: ({ referrer_member_id: referrer, from_order_id: order, reason }) =>
      `link moved to ${referrer} by a person${order ? `, from order ${order} on` : ''} (${reason})`,
    member_merged: ({ former_member_id: former, member_id: member, reason }) =>
      `member ${former} merged into ${member} by a person (${reason})`,
    referral_accepted: () => 'referral accepted',
    referral_rejected: () => 'referral rejected',
    evaluated: ({ reason, program_version: version }) => `evaluated: ${reason} (program version ${version})`,
    corrected: ({ kind, reward_id: id, reason }) =>
      `${{ grant: 'given', adjust: 'adjusted', revoke: 'revoked' }[String(kind)] ?? kind} by a person: reward ${id} (${reason})`,
    reward_given: ({ amount, unit, role, member_id: member, reward_id: id }) =>
      `reward ${id}: ${amount} ${unit} for the ${role} ${member}`,
    reward_confirmed: ({ reward_id: id, not_notified: isBlocked }) =>
      `reward ${id} confirmed${isBlocked ? ', not sent: a webhook still holds an earlier one' : ''}`,
    reward_revoked: ({ reward_id: id }) => `reward ${id} revoked`,
    reward_cancelled: ({ reward_id: id }) => `reward ${id} cancelled`,
    event: ({ type, event_id: id, no_webhook: nobody }) =>
      `event ${type} ${id}${nobody ? ', sent to no webhook' : ''}`,
    event_deleted: ({ type }) => `event ${type}, deleted after its retention period`,
    delivery: ({ url, state, delivery_id: id }) => `delivery ${id} to ${url}: ${state}`,
    attempt: ({ number, status, error, warning, ...notes }) =>
      [
        `attempt ${number}: ${status === '' ? error : `HTTP ${status}`}`,
        warning && `warning: ${warning}`,
        notes['retried_on_new_connection'] && 'sent once more on a new connection',
        notes['ignored'] && 'ignored by the receiver',
      ]
        .filter(Boolean)
        .join(', '),
    decisions_deleted: ({ count }) => `${count} earlier decisions, deleted after their retention period`,
    attempts_deleted: ({ count }) => `${count} attempts, deleted after their retention period`,
  }),
);

function describeEntry(entry: TimelineEntry): string {
  const texts = new Proxy(entry, {
    get: (fields, name) => {
      const value = fields[String(name)];
      return ['string', 'number', 'boolean'].includes(typeof value) ? printable(String(value)) : '';
    },
  }) as unknown as Record<string, string>;
  return entries.get(entry.what)?.(texts) ?? entry.what.replaceAll('_', ' ');
}
