-- An alias leads to another member, whatever the program does.
ALTER TABLE member_aliases ADD CONSTRAINT member_aliases_never_itself CHECK (alias_id <> member_id);
