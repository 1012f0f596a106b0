"""What a fitted classifier tells about data: doubtful labels, sets of possible labels, novel
objects, typical objects.
"""
