/** Settings of the shop and of one’s own account. */
export const settings = {
  settings: {
    lead: 'Your shop and your password.',
    anotherShop: 'More shops',
    anotherShopLead: 'One account can have several shops. Switch between them in the menu at the top.',
    merchant: 'Shop',
    ownersOnly: 'Only owners can change these settings.',
    contact: 'Contact email',
    contactHint:
      'Receives notices about failing webhooks. The address must be confirmed through a link in an email.',
    contactPending: '{{pending}} is not confirmed yet. Open the link in the email that we sent there.',
    contactNone: 'Until then, no notices are sent.',
    contactUntilThen: 'Until then, notices are sent to {{current}}.',
    contactResend: 'Resend email',
    contactMailed: 'Email sent to {{pending}}',
    manualRewardLimit: 'Limit of rewards by hand',
    manualRewardLimitHint:
      'The highest amount that a person can give, or adjust a reward to. It applies to the API too.',
    password: 'Password',
    passwordLead: 'Changing it signs out all your other sessions.',
    currentPassword: 'Current password',
    newPassword: 'New password',
    changePassword: 'Change password',
    passwordChanged: 'Password changed. Your other sessions are signed out.',
  },
};
