"""What `palmares.design.plan` rests on.

`beginnings`: what is known before a campaign (by a `pilot`) or in its middle. `prospects`: the scores that rankings
would give from there. `bounds`: the boundaries that these would show. `curves`: how many rankings a target takes.
`times`: how long that is. `notes`: what all of it takes for granted. `result`: what a plan says.
"""
